/**
 * Who holds a lock file. Native git writes nothing of itself into a lock, so its locks are judged by age alone; ours say
 * which process took them, so that after a kill the next process need not wait for the age.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

interface Owner {
  readonly pid: number;
  /** When the process began, as the kernel counts it: a process id is used again. Empty where the system does not say. */
  readonly started: string;
  /** Where the process id means something: machine, boot and process namespace. */
  readonly space: string;
}

const MARK = "team-memory lock ";

export const OWN_LOCK_TEXT = `${MARK}${JSON.stringify({ pid: process.pid, started: startedOf(process.pid), space: spaceOf() })}\n`;

/** `gone` only where that is certain; a lock of another machine or of native git is `unknown`. */
export function ownerState(lockText: string): "alive" | "gone" | "unknown" {
  const owner = parseOwner(lockText);
  if (owner === null || owner.space !== spaceOf()) return "unknown";
  return isAlive(owner) ? "alive" : "gone";
}

function parseOwner(lockText: string): Owner | null {
  if (!lockText.startsWith(MARK)) return null;
  try {
    return JSON.parse(lockText.slice(MARK.length)) as Owner;
  } catch {
    return null;
  }
}

function isAlive(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  return startedOf(owner.pid) === owner.started;
}

/** Field 22 of /proc/<pid>/stat, counted after the command's closing parenthesis. */
function startedOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}

function spaceOf(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return `${hostname()} ${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}
