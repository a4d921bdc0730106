import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isTeamMemoryError, TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { decodeMemory } from "../../shared/memory/to-canonical.ts";
import type { CommandOptions } from "../command.ts";
import { readSmallFileBytes } from "../memory/read-small-file.ts";
import { toUsageError } from "./to-usage-error.ts";

/**
 * Calls `act` with a text as a person has changed it in their editor, on a scratch copy in a private folder. The copy goes
 * once `act` is done; where it fails, what was typed is kept and the error says where.
 *
 * @throws TeamMemoryError `usage` without a terminal or an editor, or where the editor gives up or changes nothing, which
 *   decides nothing; `invalid_memory` where it leaves no UTF-8 text; and whatever `act` throws
 */
export async function withEdited<T>(
  { env }: Pick<CommandOptions, "env">,
  text: string,
  act: (edited: string) => Promise<T>,
): Promise<T> {
  if (!process.stdin.isTTY)
    throw toUsageError("conflicts", "There is no terminal to edit in: write the text and give --text-file FILE");
  if (env.editor === null)
    throw toUsageError("conflicts", "No editor is named: set VISUAL or EDITOR, or give --text-file FILE");
  const path = join(mkdtempSync(join(tmpdir(), "team-memory-")), "memory.md");
  writeFileSync(path, text, { mode: 0o600 });
  const bytes = runEditor(env.editor, path) ? readSmallFileBytes(path, LIMITS.localFileSizeBytesMax) : null;
  if (bytes === null) {
    drop(path);
    throw toUsageError("conflicts", `The editor did not end well, and nothing was changed: ${env.editor}`);
  }
  if (bytes.equals(Buffer.from(text))) {
    drop(path);
    throw toUsageError(
      "conflicts",
      "Nothing was changed in the editor, so nothing is decided; --mine takes it as it is",
    );
  }
  try {
    const done = await act(decodeMemory(bytes));
    drop(path);
    return done;
  } catch (error) {
    throw isTeamMemoryError(error) ? withPath(error, path) : error;
  }
}

function drop(path: string): void {
  rmSync(dirname(path), { recursive: true, force: true });
}

/** By the shell, as git does it: people put options into the variable. */
function runEditor(editor: string, path: string): boolean {
  const isWindows = process.platform === "win32";
  const [program, args] = isWindows
    ? [`${editor} "${path}"`, []]
    : ["sh", ["-c", `${editor} "$1"`, "team-memory", path]];
  return spawnSync(program, args, { stdio: "inherit", shell: isWindows }).status === 0;
}

function withPath(error: TeamMemoryError, path: string): TeamMemoryError {
  const details = { ...error.details, path };
  return new TeamMemoryError(error.code, `${error.message}; what you typed is kept: ${path}`, {
    details,
    cause: error,
  });
}
