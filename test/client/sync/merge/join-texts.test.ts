import { describe, expect, it } from "vitest";
import { joinTexts } from "../../../../client/sync/merge/join-texts.ts";

const face = (name: string) => `---\nname: ${name}\n---\n`;

describe("joinTexts", () => {
  const ROWS = [
    { name: "differ in one line", reviewed: "a\nb\nc\n", mine: "a\nx\nc\n", both: "a\nb\nx\nc\n" },
    { name: "have nothing alike", reviewed: "a\n", mine: "b\n", both: "a\nb\n" },
    { name: "are the same", reviewed: "a\nb\n", mine: "a\nb\n", both: "a\nb\n" },
    { name: "begin alike, mine goes on", reviewed: "a\n", mine: "a\nb\n", both: "a\nb\n" },
    { name: "end alike, the reviewed one has more", reviewed: "a\nb\n", mine: "b\n", both: "a\nb\n" },
    { name: "repeat a line", reviewed: "a\na\n", mine: "a\na\na\n", both: "a\na\na\n" },
    { name: "mine is empty", reviewed: "a\n", mine: "", both: "a\n" },
    { name: "the reviewed one is empty", reviewed: "", mine: "a\n", both: "a\n" },
  ];

  it.each(ROWS)("joins bodies that $name under the reviewed frontmatter", ({ reviewed, mine, both }) => {
    expect(joinTexts(face("Theirs") + reviewed, face("Mine") + mine)).toBe(face("Theirs") + both);
    expect(joinTexts(reviewed, mine)).toBe(both);
  });

  it("loses no line of either body", () => {
    const bodies = ["", "a\n", "b\n", "a\nb\n", "b\na\n", "a\nb\na\n", "\n\n", "a\n\nb\n"];
    for (const reviewed of bodies) {
      for (const mine of bodies) {
        const lines = joinTexts(reviewed, mine).split("\n");
        for (const line of [...reviewed.split("\n"), ...mine.split("\n")]) expect(lines).toContain(line);
      }
    }
  });
});
