/**
 * FNV-1a, 32 bits, by which looks at a folder are summed up whatever the order. It meets accidents, not attacks: whoever
 * can forge names here can write the files themselves.
 */
export function hashName(name: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) value = Math.imul(value ^ name.charCodeAt(at), 0x01000193);
  return value >>> 0;
}
