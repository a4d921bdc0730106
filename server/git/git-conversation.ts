/** `git cat-file --batch`: ids go in, one a line; a line about each and its bytes come out, in the same order. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { LIMITS } from "../../shared/limits.ts";
import { type GitBinary, gitEnvironment, SAFE_FLAGS } from "./git-binary.ts";
import type { GitObject, ObjectType } from "./objects.ts";
import type { GitId } from "./port.ts";

export type Answer = GitObject | null | "too large" | "unanswered";

export interface Conversation {
  /** Never rejects: `unanswered` where the child ends before its answer has come. */
  ask(id: GitId, sizeBytesMax: number): Promise<Answer>;
  isOver(): boolean;
}

interface Question {
  readonly sizeBytesMax: number;
  readonly answer: (answer: Answer) => void;
}

export function startConversation(binary: GitBinary, gitDir: string): Conversation {
  const child = spawn(binary.path, [...SAFE_FLAGS, `--git-dir=${gitDir}`, "cat-file", "--batch"], {
    env: gitEnvironment(binary),
    stdio: ["pipe", "pipe", "ignore"],
  });
  const waiting: Question[] = [];
  const heard = buildHearing();
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;

  const end = () => {
    isOver = true;
    clearTimeout(timer);
    child.kill("SIGKILL");
    for (const { answer } of waiting.splice(0)) answer("unanswered");
  };

  /** While somebody waits, the process waits, too, and the child has its time; else neither keeps the other. */
  const settle = () => {
    clearTimeout(timer);
    if (isOver) return;
    keepAlive(child, waiting.length > 0);
    timer = setTimeout(end, waiting.length > 0 ? LIMITS.gitCommandTimeoutMs : LIMITS.gitReaderIdleMs).unref();
  };

  child.once("error", end).once("close", end);
  child.stdin.on("error", end);
  child.stdout.on("data", (chunk: Buffer) => {
    heard.add(chunk);
    for (let answer = heard.next(waiting[0]); answer !== "not yet"; answer = heard.next(waiting[0])) {
      waiting.shift()?.answer(answer);
      if (answer === "too large" || answer === "unanswered") return end();
    }
    settle();
  });

  return {
    isOver: () => isOver,
    ask: (id, sizeBytesMax) =>
      new Promise((answer) => {
        // Attack: a name with a newline in it would be two questions.
        if (isOver || !/^[0-9a-f]{40}$/u.test(id)) return answer("unanswered");
        waiting.push({ sizeBytesMax, answer });
        child.stdin.write(`${id}\n`);
        settle();
      }),
  };
}

function keepAlive(child: ChildProcessByStdio<Writable, Readable, null>, isAwaited: boolean): void {
  for (const one of [child, child.stdin, child.stdout] as { ref?: () => void; unref?: () => void }[]) {
    if (isAwaited) one.ref?.();
    else one.unref?.();
  }
}

/** `<id> <type> <size>`, newline, content, newline; or `<id> missing`. */
const HEAD = /^[0-9a-f]{40} (?:missing|(?<type>blob|tree|commit|tag) (?<size>\d+))$/u;

function buildHearing() {
  let chunks: Buffer[] = [];
  let sizeBytes = 0;
  let wantedBytes = 0;

  const whole = (): Buffer => {
    const [only = Buffer.alloc(0), ...more] = chunks;
    const bytes = more.length === 0 ? only : Buffer.concat(chunks);
    chunks = [bytes];
    return bytes;
  };

  const drop = (bytes: Buffer, end: number) => {
    chunks = end === bytes.length ? [] : [bytes.subarray(end)];
    sizeBytes = bytes.length - end;
    wantedBytes = 0;
  };

  return {
    add: (chunk: Buffer) => {
      chunks.push(chunk);
      sizeBytes += chunk.length;
    },
    /** The answer to this question, once all of it is here. */
    next: (question: Question | undefined): Answer | "not yet" => {
      if (question === undefined || sizeBytes === 0 || sizeBytes < wantedBytes) return "not yet";
      const bytes = whole();
      const lineEnd = bytes.indexOf("\n");
      if (lineEnd < 0) return "not yet";
      const head = HEAD.exec(bytes.toString("latin1", 0, lineEnd));
      if (head === null) return "unanswered";
      const { type, size } = head.groups ?? {};
      if (type === undefined) {
        drop(bytes, lineEnd + 1);
        return null;
      }
      if (Number(size) > question.sizeBytesMax) return "too large";
      const contentEnd = lineEnd + 1 + Number(size);
      wantedBytes = contentEnd + 1;
      if (bytes.length < wantedBytes) return "not yet";
      const content = Buffer.from(bytes.subarray(lineEnd + 1, contentEnd));
      drop(bytes, contentEnd + 1);
      return { type: type as ObjectType, content };
    },
  };
}
