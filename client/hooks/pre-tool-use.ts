import { LIMITS } from "../../shared/limits.ts";
import type { CommandOptions } from "../command.ts";
import { isRecord } from "../memory/claude-settings.ts";
import type { JsonObject } from "../sync/json-shape.ts";
import { findTeamKey } from "./find-team-key.ts";
import { eventFolder, openSession } from "./hook-event.ts";
import { readHookEvent } from "./read-hook-event.ts";

/**
 * Before the agent writes a file: one into `team/` that could never be proposed is denied, with a reason that the agent
 * can act on. Every other write passes without a word, for saying yes would spare the user a question that the host means
 * to ask; and it passes fast, for what judges a memory is loaded only for a file in `team/`. Asks nobody.
 *
 * @returns null: nothing to say
 */
export async function preToolUse(options: CommandOptions, input: NodeJS.ReadStream): Promise<string | null> {
  const event = await readHookEvent(input, LIMITS.hookInputTimeoutMs);
  const write = toFileWrite(event);
  const context = write === null ? null : openSession(options, event);
  if (write === null || context === null) return null;
  const { teamDir } = context;
  const key = findTeamKey(write.path, { cwd: eventFolder(event) ?? options.cwd, home: options.env.home, teamDir });
  if (key === null) return null;
  const { judgeWrite } = await import("./judge-write.ts");
  const reason = judgeWrite({ teamDir, key, tool: write.tool, input: write.input });
  return reason === null ? null : toDenial(reason);
}

interface FileWrite {
  readonly tool: string;
  readonly path: string;
  readonly input: JsonObject;
}

const TOOLS: readonly unknown[] = ["Write", "Edit", "MultiEdit"];

/** Null: another tool, or nothing that names a file. */
function toFileWrite({ tool_name: tool, tool_input: input }: JsonObject): FileWrite | null {
  if (typeof tool !== "string" || !TOOLS.includes(tool) || !isRecord(input)) return null;
  const { file_path: path } = input;
  return typeof path === "string" && path !== "" ? { tool, path, input } : null;
}

function toDenial(permissionDecisionReason: string): string {
  return JSON.stringify({
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason },
  });
}
