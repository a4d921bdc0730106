import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../../shared/errors/codes.ts";
import type { ProposalOutcome } from "../../../shared/protocol/schemas.ts";
import { memoryText } from "../../support/memory-text.ts";
import type { StubService } from "../stub-service.ts";
import { type Developer, startWork } from "./support.ts";

const body = (text: string) => memoryText("A", text);
const [BASE, MINE, THEIRS] = ["One.\n\nTwo.", "One!\n\nTwo.", "One.\n\nTwo?"].map(body);
const [A, B] = [BASE ?? "", memoryText("B")];
const URL = "http://stub/review/1";

interface Way {
  readonly name: string;
  readonly happens: (dev: Developer, service: StubService) => Promise<unknown>;
  readonly says: readonly (string | RegExp)[];
  readonly exit?: number;
}

/** Every line that a pull may print, by each way on which it comes about. */
const WAYS: readonly Way[] = [
  { name: "nothing happened", happens: async () => {}, says: ["Nothing new"] },
  {
    name: "the team added one",
    happens: async (_, { memories }) => memories.set("c.md", B),
    says: ["1 new: c.md"],
  },
  {
    name: "the team added more than are named",
    happens: async (_, { memories }) => {
      for (let at = 0; at < 6; at += 1) memories.set(`c${at}.md`, B);
    },
    says: ["6 new"],
  },
  {
    name: "the team changed one",
    happens: async (_, { memories }) => memories.set("a.md", THEIRS ?? ""),
    says: ["1 changed: a.md"],
  },
  {
    name: "the team removed one",
    happens: async (_, { memories }) => memories.delete("a.md"),
    says: ["1 removed, copies are kept in the attic: a.md"],
  },
  {
    name: "both changed one, and that merges",
    happens: async (dev, { memories }) => {
      await dev.write("a.md", MINE ?? "");
      memories.set("a.md", THEIRS ?? "");
    },
    says: ["a.md: you and the team both changed it, and the two are merged; look at it: team-memory diff a.md"],
  },
  {
    name: "the same, and a reviewer has said no to mine",
    happens: async (dev, service) => {
      await dev.write("a.md", MINE ?? "");
      await decide(dev, service, { state: "closed", reason: "no" });
      await dev.call("pull");
      service.memories.set("a.md", THEIRS ?? "");
    },
    says: [/^a\.md: the team changed it, and your text, which a reviewer said no to, is merged with that; /],
  },
  {
    name: "both changed one, and that does not merge",
    happens: async (dev, { memories }) => {
      await dev.write("a.md", body("Mine."));
      memories.set("a.md", body("Theirs."));
    },
    says: [/^a\.md: you and the team both changed it, .* yours is kept; .*: team-memory conflicts show a\.md$/],
    exit: EXIT.attention,
  },
  {
    name: "the team removed what I changed",
    happens: async (dev, { memories }) => {
      await dev.write("a.md", MINE ?? "");
      memories.delete("a.md");
    },
    says: [/^a\.md: the team removed it, and yours is kept; .*push a\.md; .*rm a\.md$/],
    exit: EXIT.attention,
  },
  {
    name: "the team removed what I have proposed, and the file is gone",
    happens: async (dev, { memories }) => {
      await dev.write("a.md", MINE ?? "");
      await dev.call("push");
      await dev.remove("a.md");
      memories.delete("a.md");
    },
    says: [/^a\.md: the team removed it, and yours is kept; /, /^Restored 1: /],
    exit: EXIT.attention,
  },
  {
    name: "the team changed what I wanted removed",
    happens: async (dev, { memories }) => {
      await dev.call("rm a.md");
      memories.set("a.md", THEIRS ?? "");
    },
    says: [/^a\.md: the team changed what you wanted removed, so it is back; .*rm a\.md$/],
  },
  {
    name: "the team approved what I kept private meanwhile",
    happens: async (dev, service) => {
      await dev.write("mine.md", B);
      await dev.call("push");
      await dev.call("keep-private mine.md");
      service.memories.set("mine.md", B);
      await decide(dev, service, { state: "merged" });
    },
    says: [
      "mine.md: you took it away here, but the team has it now, so it is back; to remove it for all: team-memory rm mine.md",
      /^Your proposal \w+ was merged \(http/,
    ],
  },
  {
    name: "the team approved what I removed before it was reviewed",
    happens: async (dev, service) => {
      await dev.write("mine.md", B);
      await dev.call("push");
      await dev.call("rm mine.md");
      service.memories.set("mine.md", B);
      await decide(dev, service, { state: "merged" });
    },
    says: [/^mine\.md: you took it away here, but the team has it now/, /^Your proposal \w+ was merged \(http/],
  },
  {
    name: "a file is missing",
    happens: (dev) => dev.remove("a.md"),
    says: [/^Restored 1: a missing or empty file is no removal\. .*: team-memory rm a\.md$/],
  },
  {
    name: "a file is empty",
    happens: async (dev, { memories }) => {
      await dev.write("a.md", "");
      memories.set("a.md", THEIRS ?? "");
    },
    says: [/^Restored 1: a missing or empty file is no removal\. /],
  },
  {
    name: "a proposal was merged",
    happens: async (dev, service) => {
      await dev.write("mine.md", B);
      service.memories.set("mine.md", B);
      await decide(dev, service, { state: "merged" });
    },
    says: [/^Your proposal \w+ was merged \(http/],
  },
  {
    name: "a proposal was closed",
    happens: async (dev, service) => {
      await dev.write("mine.md", B);
      await dev.call("rm a.md");
      await decide(dev, service, { state: "closed", reason: "not now" });
    },
    says: [
      `A reviewer said no to removing a.md, mine.md: not now (${URL})`,
      "Not sent again by itself; what you can do: team-memory status",
    ],
    exit: EXIT.attention,
  },
  {
    name: "a proposal was closed, and one text of it has changed here since",
    happens: async (dev, service) => {
      await dev.write("mine.md", B);
      await dev.write("other.md", B);
      await decide(dev, service, { state: "closed", reason: "not now" });
      await dev.write("mine.md", memoryText("Mine", "Better."));
    },
    says: [
      `A reviewer said no to mine.md, other.md: not now (${URL})`,
      "Not sent again by itself: other.md; what you can do: team-memory status",
    ],
    exit: EXIT.attention,
  },
  {
    name: "a proposal was closed that I had taken back meanwhile",
    happens: async (dev, service) => {
      await dev.write("mine.md", B);
      await dev.call("push");
      await dev.call("keep-private mine.md");
      await decide(dev, service, { state: "closed", reason: "not now" });
    },
    says: [`A reviewer said no to mine.md: not now (${URL})`],
    exit: EXIT.attention,
  },
  {
    name: "a reviewer left one out of what was merged",
    happens: async (dev, service) => {
      await dev.write("mine.md", B);
      await dev.write("other.md", B);
      service.memories.set("other.md", B);
      await decide(dev, service, { state: "merged", rejected: ["mine.md"], reason: "twice" });
    },
    says: [
      /^Your proposal \w+ was merged, without mine\.md: twice \(http/,
      "Not sent again by itself; what you can do: team-memory status",
    ],
    exit: EXIT.attention,
  },
  {
    name: "something lies where a file should be",
    happens: async (dev, { memories }) => {
      await mkdir(join(dev.teamDir, "c.md"));
      memories.set("c.md", B);
    },
    says: ["Not placed, something that is no plain file lies there: c.md", /^Left alone, a folder.*: c\.md$/],
    exit: EXIT.attention,
  },
  {
    name: "the index was taken away and a folder put there",
    happens: async (dev, { memories }) => {
      await rm(join(dev.teamDir, "MEMORY.md"));
      await mkdir(join(dev.teamDir, "MEMORY.md"));
      memories.set("c.md", B);
    },
    says: ["1 new: c.md", "team/MEMORY.md is no plain file: it was left alone"],
  },
  {
    name: "somebody wrote into the index",
    happens: async (dev, { memories }) => {
      await dev.write("MEMORY.md", "Remember the milk.\n");
      memories.set("c.md", B);
    },
    says: ["1 new: c.md", /^team\/MEMORY\.md is generated; what was written into it is kept: /],
  },
];

describe("pull says what is true where", () => {
  it.each(WAYS)("$name", async ({ happens, says, exit = EXIT.ok }) => {
    const [dev, service] = await startWork({ "a.md": A, "b.md": B });
    await happens(dev, service);
    const pulled = await dev.call("pull");
    expect(pulled.text.split("\n")).toEqual(
      says.map((line) => (typeof line === "string" ? line : expect.stringMatching(line))),
    );
    expect(pulled.exit).toBe(exit);
  });

  it("so many removals at once wait: how many, in one line", async () => {
    const memories = Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`${at}.md`, memoryText(`${at}`)]));
    const [dev, service] = await startWork(memories);
    service.memories.clear();
    expect(await dev.call("pull")).toMatchObject({
      exit: EXIT.attention,
      text: "7 not removed, so many removals at once wait for: team-memory pull --accept-removals",
    });
  });
});

type Said = Pick<ProposalOutcome, "state"> & Partial<ProposalOutcome>;

async function decide(dev: Developer, service: StubService, said: Said): Promise<void> {
  if (service.puts.length === 0) await dev.call("push");
  const { id, request } = service.puts.at(-1) ?? { id: "", request: { seq: 0 } };
  service.outcomes.set(id, { seq: request.seq, reason: null, rejected: [], url: URL, ...said });
}
