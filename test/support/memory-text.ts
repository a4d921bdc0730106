/** A well-formed memory, as an agent writes it. */
export function memoryText(name: string, body = "Use the database from docker-compose.", type = "feedback"): string {
  return `---\nname: ${name}\ndescription: What the team agreed on about ${name}\ntype: ${type}\n---\n${body}\n`;
}
