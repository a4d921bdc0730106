import type { FastifyRequest } from "fastify";

/** Whether a person opened the address in a browser: a program names another form, or any. */
export function isForBrowser({ method, headers }: FastifyRequest): boolean {
  return (method === "GET" || method === "HEAD") && /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(headers.accept ?? "");
}

/** The address that a proposal's link names. Whether there is such a proposal is not looked at: a browser has no token. */
const PROPOSAL = /^\/v1\/projects\/([a-z0-9._~-]{1,200})\/proposals\/([0-7][0-9A-HJKMNP-TV-Z]{25})(?:\?|$)/;

/**
 * A refusal as a page: what this is, and the command that does what the link promised. It has no script, style or frame,
 * which the headers forbid, and nothing but the refusal's own words and the address's.
 */
export function toErrorPage({ url }: FastifyRequest, message: string, help: string): string {
  const [, segment = "", id] = PROPOSAL.exec(url) ?? [];
  const shown = id === undefined ? toRefusal(message, help) : toProposal(segment.replaceAll("~", "/"), id);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>team-memory</title>
${shown}
<p>This is team-memory: what coding agents learn about a project, shared by the team that works on it. A browser has no
token of it, so memories and proposals are shown by its command and in git.</p>
</html>
`;
}

function toRefusal(message: string, help: string): string {
  return `<h1>${escapeHtml(message)}</h1>\n<p>${escapeHtml(help)}</p>`;
}

function toProposal(project: string, id: string): string {
  const commands = [
    `team-memory review show ${id}`,
    `team-memory review approve ${id}`,
    `team-memory review close ${id} --reason "…"`,
  ];
  return `<h1>A proposal to the memory of ${escapeHtml(project)}</h1>
<p>To see what it changes, and then to say yes or no, run in your clone of ${escapeHtml(project)}:</p>
<pre>${escapeHtml(commands.join("\n"))}</pre>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
