import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatMessage, parseTrailers, type Trailers } from "../../../server/sync/proposal/trailers.ts";
import { SHOP } from "./support.ts";

const ID = "01JH0000000000000000000000";
const BLOB = "a".repeat(40);
const TRAILERS: Trailers = {
  proposal: ID,
  project: SHOP,
  person: "ana",
  seq: 7,
  content: "f".repeat(64),
  isTitled: true,
  sent: new Map<string, { blob: string | null } | "nothing">([
    ["a b.md", { blob: BLOB }],
    ["gone.md", { blob: null }],
    ["x.md", "nothing"],
  ]),
  reviewer: "Rita Reviewer <rita@example.org>",
  head: BLOB,
  part: true,
};
const MESSAGE = formatMessage("Subject", TRAILERS);

describe("parseTrailers", () => {
  it("reads back what formatMessage writes", () => {
    expect(parseTrailers(MESSAGE)).toEqual(TRAILERS);
    const plain = {
      ...TRAILERS,
      content: null,
      isTitled: false,
      sent: new Map(),
      reviewer: null,
      head: null,
      part: false,
    };
    expect(parseTrailers(formatMessage("Subject", plain))).toEqual(plain);
  });

  it.each([
    { name: "others beside them", message: `${MESSAGE}Signed-off-by: R <r@x>\n` },
    { name: "others in a paragraph after them", message: `${MESSAGE}\nCo-authored-by: R <r@x>\n` },
    { name: "prose before them", message: MESSAGE.replace("Subject", "Subject\n\nProse: of a kind\nmore prose") },
  ])("finds them with $name", ({ message }) => {
    expect(parseTrailers(message)).toEqual(TRAILERS);
  });

  it.each([
    { name: "indented, as a squash quotes them", message: MESSAGE.replaceAll(/^/gm, "    ") },
    { name: "inside prose", message: MESSAGE.replace("\n\n", "\n\nThis quotes\n") },
    { name: "without an id", message: MESSAGE.replace(ID, "x") },
    { name: "with a project that cannot be", message: MESSAGE.replace(SHOP, "../x") },
    { name: "with a seq that is no number", message: MESSAGE.replace("Seq: 7", "Seq: seven") },
    { name: "of nobody", message: MESSAGE.replace("Team-Memory-Person: ana\n", "") },
    { name: "absent", message: "Subject\n\nBody\n" },
    { name: "no message at all", message: "" },
  ])("is null for trailers $name", ({ message }) => {
    expect(parseTrailers(message)).toBeNull();
  });

  it("never throws, whatever people write", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...MESSAGE.split("\n"), "", " ", "x: y", "\u2028")), (lines) => {
        parseTrailers(lines.join("\n"));
      }),
    );
  });
});
