/** Runs of base64 and hexadecimal that hold text: what a secret looks like to whoever only reads letters. */
export interface DecodedRun {
  readonly text: string;
  /** Where the run begins in the text that holds it. */
  readonly start: number;
}

/** Wrapped lines are one run: a token may lie across the fold. Separators hold no character of the run. */
const RUN = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}(?:\n[ \t>]{0,8}[A-Za-z0-9+/_-]{4,})*/g;
const HEX = /(?:[0-9a-f]{2}){16,}/i;
/** A run may begin with letters that are not its own, as those of a path: each of the four phases is tried. */
const PHASES = [0, 1, 2, 3] as const;
const PROBE_LENGTH = 16;
const TEXT_LENGTH_MIN = 12;
const TEXT = /^[\t\n\r\x20-\x7e]+/;

export function decodeRuns(text: string): readonly DecodedRun[] {
  return [...text.matchAll(RUN)].flatMap(({ index, 0: run }) =>
    [decodeHex(run), decodeBase64(run)]
      .filter((decoded) => decoded.length >= TEXT_LENGTH_MIN)
      .map((decoded) => ({ text: decoded, start: index })),
  );
}

function decodeBase64(run: string): string {
  const letters = run.replace(/[\n\t >]/g, "");
  const phase = PHASES.find((skipped) => isText(toBytes(letters.slice(skipped, skipped + PROBE_LENGTH))));
  return phase === undefined ? "" : leadingText(toBytes(letters.slice(phase)));
}

/** Only from where hexadecimal begins: with a digit in front, digests alone would be found. */
function decodeHex(run: string): string {
  return leadingText(Buffer.from(HEX.exec(run)?.[0] ?? "", "hex").toString("latin1"));
}

function toBytes(letters: string): string {
  return Buffer.from(letters, "base64").toString("latin1");
}

function isText(bytes: string): boolean {
  return leadingText(bytes).length === bytes.length;
}

function leadingText(bytes: string): string {
  return TEXT.exec(bytes)?.[0] ?? "";
}
