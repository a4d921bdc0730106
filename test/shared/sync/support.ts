export const FACE = "name: N\ndescription: D\ntype: feedback\n";
export const BODY = "\nUse real databases.\n\n**Why:** mocks lied.\n\n**How to apply:** in every test.\n";

/** `fields` are whole lines. */
export function memory(fields: string, body: string = BODY): string {
  return `---\n${fields}---\n${body}`;
}
