import { findCommonEnds } from "../../shared/sync/common-ends.ts";

/**
 * The unified diff of two texts, without its head: hunks of lines, ` ` in both, `-` in the first, `+` in the second, with a
 * few lines around each change.
 * The longest common subsequence of what lies between the common beginning and end; where that would take too long, all of
 * it counts as replaced.
 */
export function diffLines(before: string, after: string): string[] {
  const [a, b] = [toLines(before), toLines(after)];
  const { start, end } = findCommonEnds(a, b);
  const middle = diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const common = (lines: readonly string[]) => lines.map((line) => ` ${line}`);
  return toHunks([...common(a.slice(0, start)), ...middle, ...common(end === 0 ? [] : a.slice(-end))]);
}

const CELLS_MAX = 4_000_000;
const CONTEXT = 3;

function toLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function diffMiddle(a: readonly string[], b: readonly string[]): string[] {
  if (a.length * b.length > CELLS_MAX) return [...a.map((line) => `-${line}`), ...b.map((line) => `+${line}`)];
  const lengths = commonLengths(a, b);
  const lengthAt = (i: number, j: number) => lengths[i * (b.length + 1) + j] ?? 0;
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push(` ${a[i++]}`);
      j += 1;
    } else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) lines.push(`-${a[i++]}`);
    else lines.push(`+${b[j++]}`);
  }
  return [...lines, ...a.slice(i).map((line) => `-${line}`), ...b.slice(j).map((line) => `+${line}`)];
}

/** For each pair of ends, the length of the longest common subsequence. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const skipped = Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
      lengths[i * width + j] = a[i] === b[j] ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1 : skipped;
    }
  }
  return lengths;
}

/** Lines near a change, in hunks that say where each begins and how long it is on both sides; the others are left out. */
function toHunks(lines: readonly string[]): string[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some((line) => line[0] !== " "),
  );
  const hunks: string[] = [];
  let [before, after] = [0, 0];
  for (let at = 0; at < lines.length; ) {
    const end = isNear.indexOf(isNear[at] !== true, at);
    const run = lines.slice(at, end === -1 ? lines.length : end);
    const countWithout = (mark: string) => run.filter((line) => line[0] !== mark).length;
    const [inBefore, inAfter] = [countWithout("+"), countWithout("-")];
    if (isNear[at] === true) hunks.push(`@@ -${toRange(before, inBefore)} +${toRange(after, inAfter)} @@`, ...run);
    [before, after, at] = [before + inBefore, after + inAfter, at + run.length];
  }
  return hunks;
}

/** Lines count from 1; of none, the line before is named. */
function toRange(before: number, count: number): string {
  return `${count === 0 ? before : before + 1},${count}`;
}
