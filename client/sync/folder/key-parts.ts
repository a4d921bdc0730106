/** The folder that a key lies in, below the team folder; empty for the team folder itself. */
export function folderOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf("/")));
}

export function nameOf(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}
