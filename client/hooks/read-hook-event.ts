import { LIMITS } from "../../shared/limits.ts";
import { asObject, type JsonObject } from "../sync/json-shape.ts";

/**
 * The host's JSON object from standard input. Tolerant in every way: no input, too much of it, other shapes, and a host
 * that never closes the stream all mean that nothing was said: an empty object.
 */
export function readHookEvent(input: NodeJS.ReadStream, timeoutMs: number): Promise<JsonObject> {
  if (input.isTTY) return Promise.resolve({});
  let text = "";
  return new Promise((resolve) => {
    const finish = (event: JsonObject | null) => {
      clearTimeout(timer);
      input.removeAllListeners().on("error", () => {});
      input.pause();
      resolve(event ?? {});
    };
    const finishEarly = () => finish(parseEvent(text));
    const timer = setTimeout(finishEarly, timeoutMs);
    input.setEncoding("utf8");
    input.on("error", finishEarly);
    input.on("end", finishEarly);
    input.on("data", (chunk: string) => {
      text += chunk;
      if (text.length > LIMITS.hookInputSizeBytesMax) return finish(null);
      // Behind a whole object nothing comes. Its end comes while the service is asked, and Node takes the stream down then.
      const event = chunk.trimEnd().endsWith("}") ? parseEvent(text) : null;
      if (event !== null) finish(event);
    });
  });
}

function parseEvent(text: string): JsonObject | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}
