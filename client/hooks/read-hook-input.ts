import { LIMITS } from "../../shared/limits.ts";

/** What a host's event says, as far as it is of use here. */
export interface HookInput {
  readonly cwd: string | null;
}

const NOTHING: HookInput = { cwd: null };

/**
 * The host's JSON from standard input. Tolerant in every way: no input, too much of it, other shapes, and a host that
 * never closes the stream all mean that nothing was said.
 */
export async function readHookInput(input: NodeJS.ReadStream, timeoutMs: number): Promise<HookInput> {
  return parseHookInput(await readHookText(input, timeoutMs));
}

/** The text itself, whole or as far as it came within the time and the bound. */
export async function readHookText(input: NodeJS.ReadStream, timeoutMs: number): Promise<string> {
  if (input.isTTY) return "";
  let text = "";
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      input.removeAllListeners().on("error", () => {});
      input.pause();
      resolve(text);
    };
    const timer = setTimeout(finish, timeoutMs);
    input.setEncoding("utf8");
    input.on("error", finish);
    input.on("end", finish);
    input.on("data", (chunk: string) => {
      text += chunk;
      if (text.length > LIMITS.hookInputSizeBytesMax) finish();
    });
  });
}

function parseHookInput(text: string): HookInput {
  try {
    const cwd = (JSON.parse(text) as { cwd?: unknown } | null)?.cwd;
    return typeof cwd === "string" && cwd !== "" ? { cwd } : NOTHING;
  } catch {
    return NOTHING;
  }
}
