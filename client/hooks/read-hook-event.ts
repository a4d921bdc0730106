import { LIMITS } from "../../shared/limits.ts";
import { asObject, type JsonObject } from "../sync/json-shape.ts";

/**
 * The host's JSON object from standard input. Tolerant in every way: no input, too much of it, other shapes, and a host
 * that never closes the stream all mean that nothing was said: an empty object.
 */
export async function readHookEvent(input: NodeJS.ReadStream, timeoutMs: number): Promise<JsonObject> {
  try {
    return asObject(JSON.parse(await readHookText(input, timeoutMs)));
  } catch {
    return {};
  }
}

/** The text itself, whole or as far as it came within the time and the bound. */
async function readHookText(input: NodeJS.ReadStream, timeoutMs: number): Promise<string> {
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
