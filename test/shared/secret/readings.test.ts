import { describe, expect, it } from "vitest";
import { scanForSecrets } from "../../../shared/secret/scan.ts";
import { draw } from "./drawn.ts";

const TOKEN = draw(11, "ghp_", ["letters", 36]);
const [HEAD, TAIL] = [TOKEN.slice(0, 20), TOKEN.slice(20)];
const each = (write: (char: string) => string) => Array.from(TOKEN, write).join("");
const hexOf = (char: string) => (char.codePointAt(0) ?? 0).toString(16);

describe("toReadings", () => {
  it.each([
    ["a zero width space", `${HEAD}\u200b${TAIL}`],
    ["a zero width non-joiner", `${HEAD}\u200c${TAIL}`],
    ["a zero width joiner", each((char) => `${char}\u200d`)],
    ["a word joiner", `${HEAD}\u2060${TAIL}`],
    ["a byte order mark", `${HEAD}\ufeff${TAIL}`],
    ["a soft hyphen", `${HEAD}\u00ad${TAIL}`],
    ["a bidi override", `${HEAD}\u202e${TAIL}`],
    ["bidi isolates", `\u2066${HEAD}\u2069\u2066${TAIL}\u2069`],
    ["a variation selector", each((char) => `${char}\ufe0f`)],
    ["a supplementary selector", `${HEAD}\u{e0100}${TAIL}`],
    ["tags", `${HEAD}\u{e0061}\u{e0062}${TAIL}`],
    ["a combining grapheme joiner", `${HEAD}\u034f${TAIL}`],
    ["a Hangul filler", `${HEAD}\u3164${TAIL}`],
    ["a braille blank", `${HEAD}\u2800${TAIL}`],
    ["a NUL", `${HEAD}\0${TAIL}`],
    ["a backspace", `${HEAD}\b${TAIL}`],
    ["fullwidth letters", each((char) => String.fromCodePoint((char.codePointAt(0) ?? 0) + 0xfee0))],
    ["mathematical digits", TOKEN.replace(/\d/g, (digit) => String.fromCodePoint(0x1d7ce + Number(digit)))],
    ["Cyrillic letters", TOKEN.replace("p", "\u0440").replace(/a/g, "\u0430").replace(/o/g, "\u043e")],
    ["hexadecimal entities", each((char) => `&#x${hexOf(char)};`)],
    ["decimal entities", each((char) => `&#${char.codePointAt(0)};`)],
    ["an entity without ink", `${HEAD}&shy;${TAIL}`],
    ["a number without ink", `${HEAD}&#8203;${TAIL}`],
    ["percent signs", each((char) => `%${hexOf(char)}`)],
    ["JSON escapes", each((char) => `\\u00${hexOf(char)}`)],
    ["byte escapes", each((char) => `\\x${hexOf(char)}`)],
    ["emphasis", `${HEAD}**${TAIL}`],
    ["code marks", `${HEAD}\`\`${TAIL}`],
    ["strike through", `${HEAD}~~${TAIL}`],
    ["a Markdown escape", TOKEN.replace("_", "\\_")],
    ["a comment", `${HEAD}<!-- x -->${TAIL}`],
    ["tags of HTML", `${HEAD}<wbr>${TAIL}`],
    ["a line continued", `${HEAD}\\\n  ${TAIL}`],
    ["strings added up", `"${HEAD}" + "${TAIL}"`],
    ["strings added up over lines", `'${HEAD}' +\n  '${TAIL}'`],
    ["strings side by side", `"${HEAD}" "${TAIL}"`],
    ["base64", Buffer.from(`my token: ${TOKEN}`).toString("base64")],
    ["base64 in a path", `a/${Buffer.from(`my token: ${TOKEN}`).toString("base64url")}`],
    ["wrapped base64", Buffer.from(`token ${TOKEN} of ada, for staging`).toString("base64").replace(/.{40}/g, "$&\n")],
    ["hexadecimal", Buffer.from(TOKEN).toString("hex")],
  ])("unfolds %s", (_name, text) => {
    expect(scanForSecrets(`---\nname: x\n---\n${text}\n`)).toEqual([
      { rule: "github-token", line: 4, masked: "ghp_***" },
    ]);
  });

  it("keeps the lines that were written, where some were joined", () => {
    const text = `a\\\nb\\\nc\n"d" +\n"e"\n${TOKEN}\u200b\n`;
    expect(scanForSecrets(text).map(({ line }) => line)).toEqual([6]);
    expect(scanForSecrets(`a\\\nb\\\nc\n${HEAD}\\\n${TAIL}\n`).map(({ line }) => line)).toEqual([4]);
  });

  it("counts CRLF as one line end", () => {
    expect(scanForSecrets(`a\r\nb\r\n${TOKEN}\r\n`).map(({ line }) => line)).toEqual([3]);
  });

  it("leaves a ligature that unfolds into many letters alone", () => {
    expect(scanForSecrets(`${"\ufdfa".repeat(100)} ${TOKEN}`)).toHaveLength(1);
  });
});
