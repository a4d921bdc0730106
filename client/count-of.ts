/** `1 file`, `2 files`; a plural that takes more than an s is given. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
