import type { CommandRow } from "./command.ts";
import { hook } from "./commands/hook.ts";

/** What the host runs, before every session. */
export const HOOK: CommandRow = {
  name: "hook",
  usage: "hook session-start|pre-tool-use|stop|session-end [--part 1|2]",
  summary: "what the coding agent's host runs; reads its JSON on standard input",
  flags: {
    part: { value: "1|2", help: "the index's first half or its second, for hosts that cut what one entry prints" },
  },
  words: { needed: ["EVENT"], max: 1 },
  load: async () => hook,
};
