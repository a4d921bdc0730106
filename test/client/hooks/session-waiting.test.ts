import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toWaitingText } from "../../../client/hooks/session-waiting.ts";
import type { KeyMarks } from "../../../client/sync/state/marks.ts";
import { writeMarks } from "../../../client/sync/state/marks-file.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { memoryText } from "../../support/memory-text.ts";
import { startStubService } from "../stub-service.ts";
import { makeSeat } from "./support.ts";

const HERE = "a".repeat(40);
const conflict: KeyMarks = { conflict: { attic: "a" } };
const unplaced: KeyMarks = { unplaced: { base: null, because: "folded" } };
const rejected = (blob: string | null): KeyMarks => ({ rejected: { blob, reason: null, url: "" } });
const said = (...marks: readonly KeyMarks[]) =>
  toWaitingText(new Map(marks.map((of, at) => [`${at}.md`, of])), (key) => (key === "9.md" ? null : HERE));

describe("toWaitingText", () => {
  it.each<[string, readonly KeyMarks[]]>([
    ["", []],
    ["", [{ held: { blob: HERE, because: "unknown" } }, rejected("b".repeat(40)), rejected(null)]],
    ["1 conflict", [conflict]],
    ["2 conflicts, 1 text that a reviewer said no to", [conflict, rejected(HERE), { ...conflict, ...rejected(HERE) }]],
    ["2 memories that could not be put in place", [unplaced, { ...unplaced, ...conflict }]],
  ])("counts a key once, and only what waits: %s", (counts, marks) => {
    const line = `Waiting for the user to decide: ${counts}; team-memory status names them.`;
    expect(said(...marks)).toBe(counts === "" ? "" : line);
  });
});

describe("sessionStart with something that waits", () => {
  it("says so each time, also where nothing is new, until it is decided or changed", async () => {
    const service = await startStubService({ "a.md": memoryText("A") });
    const { startSession, located } = await makeSeat(service.url);
    await startSession();
    const text = memoryText("No");
    mkdirSync(located.teamDir, { recursive: true });
    writeFileSync(join(located.teamDir, "no.md"), text);
    writeMarks(located.stateFolder, new Map([["no.md", rejected(blobIdOf(text))]]));
    const line =
      "\nWaiting for the user to decide: 1 text that a reviewer said no to; team-memory status names them.\n";
    for (const _ of [1, 2]) expect((await startSession()).context).toContain(line);
    writeFileSync(join(located.teamDir, "no.md"), memoryText("Changed"));
    expect((await startSession()).context).not.toContain("Waiting for the user");
  });
});
