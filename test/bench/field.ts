/** What every row needs: a service with memories in it, a developer who has joined, and a git clone of the same. */
import { type Home, makeHome } from "../support/home.ts";
import { memoryText } from "../support/memory-text.ts";
import { cloneMemory, joinByApi, pushMemories, type ReviewClone } from "../support/people.ts";
import { mustRun } from "../support/run.ts";
import { invite, type RunningService, startService, UNLIMITED } from "../support/service.ts";
import { type OnEnd, scratchFolder } from "../support/teardown.ts";

export const PROJECT = "github.com/acme/shop";

export interface Field {
  readonly service: RunningService;
  readonly home: Home;
  readonly token: string;
  readonly review: ReviewClone;
}

export async function makeField(memories: number, onEnd: OnEnd): Promise<Field> {
  const service = await startService({ data: await scratchFolder(onEnd), onEnd, args: UNLIMITED });
  const { token } = await joinByApi(service, "reviewer");
  const review = await cloneMemory(service.url, token, onEnd);
  await pushMemories(review, PROJECT, makeMemories(memories));
  const home = await makeHome({ onEnd });
  await joinFrom(home, await invite(service, "contributor"));
  return { service, home, token, review };
}

export async function joinFrom(home: Home, link: string): Promise<void> {
  const joined = await home.client("join", link);
  if (joined.code !== 0) throw new Error(`join ended with ${joined.code}: ${joined.stdout}${joined.stderr}`);
}

/** Runs one of the client's commands to its end, and insists that it went well. */
export async function mustClient(home: Home, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await home.client(...args);
  if (code !== 0) throw new Error(`team-memory ${args.join(" ")} ended with ${code}: ${stdout}${stderr}`);
  return stdout;
}

export function runNode(home: Home, args: readonly string[], input?: string) {
  const options = { cwd: home.clone, env: home.env };
  return mustRun(process.execPath, args, input === undefined ? options : { ...options, input });
}

function makeMemories(count: number): Record<string, string> {
  const names = Array.from({ length: count }, (_, index) => `topic-${String(index).padStart(5, "0")}`);
  const body = "Ask the data team before a migration touches the orders table.\n".repeat(8);
  return Object.fromEntries(names.map((name) => [`project_${name}.md`, memoryText(name, `${name}\n${body}`)]));
}
