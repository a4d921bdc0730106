/** A path or key as one word of a command line that a person pastes, or that a POSIX shell runs. */
export function toShellWord(text: string): string {
  return isPlainWord(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** No shell reads more into it than its characters. */
export function isPlainWord(text: string): boolean {
  return /^[\w./:+-]+$/.test(text);
}
