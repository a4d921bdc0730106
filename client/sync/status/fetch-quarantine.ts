import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { toUrlSegment } from "../../../shared/project/parse-project-name.ts";
import type { QuarantineResponse } from "../../../shared/protocol/schemas.ts";
import { callService } from "../../http/call-service.ts";
import { expectJson } from "../../http/expect-json.ts";
import type { SyncContext } from "../context.ts";
import { asArray, asObject, asText } from "../json-shape.ts";

export type QuarantinedFile = QuarantineResponse["files"][number];

/**
 * Files of the remote that the service hands to nobody, each with its reason.
 *
 * @throws TeamMemoryError as callService, with the service's own code, or `bad_response`
 */
export async function fetchQuarantine(
  { service, project }: SyncContext,
  timeoutMs: number,
): Promise<readonly QuarantinedFile[]> {
  const path = `/v1/projects/${toUrlSegment(project)}/quarantine`;
  const json = expectJson(await callService({ service, method: "GET", path, timeoutMs }));
  try {
    return asArray(asObject(json)["files"], LIMITS.quarantinedListedMax).map(parseFile);
  } catch (cause) {
    throw new TeamMemoryError("bad_response", "The service's answer is no list of files in quarantine", { cause });
  }
}

function parseFile(json: unknown): QuarantinedFile {
  const file = asObject(json);
  const text = (field: "path" | "rule" | "reason") => asText(file[field], LIMITS.keySizeBytesMax * ESCAPE_LENGTH_MAX);
  return { path: text("path"), rule: text("rule"), reason: text("reason") };
}

/** `\u{10ffff}`. */
const ESCAPE_LENGTH_MAX = 10;
