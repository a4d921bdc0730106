import { describe, expect, it } from "vitest";
import { toPktLine } from "../../../server/git/pkt-line.ts";
import { type PushHead, parsePushHead, readPushHead, toRefusal } from "../../../server/git/push-commands.ts";
import { LIMITS } from "../../../shared/limits.ts";

const ZEROS = "0".repeat(40);
const ONE = "1".repeat(40);
const TWO = "2".repeat(40);
const FLUSH = Buffer.from("0000");

const command = (old: string, id: string, ref: string, capabilities = "") =>
  toPktLine(`${old} ${id} ${ref}${capabilities === "" ? "" : `\0 ${capabilities}`}\n`);

describe("parsePushHead", () => {
  it("reads updates, creations and deletions, and the capabilities of the first line", () => {
    const head = parsePushHead(
      Buffer.concat([
        command(ONE, TWO, "refs/heads/main", "report-status side-band-64k agent=git/2.39.5"),
        command(ZEROS, ONE, "refs/heads/new"),
        command(TWO, ZEROS, "refs/heads/old"),
        FLUSH,
        Buffer.from("PACK…"),
      ]),
    );
    expect(head?.commands).toEqual([
      { ref: "refs/heads/main", old: ONE, new: TWO },
      { ref: "refs/heads/new", old: null, new: ONE },
      { ref: "refs/heads/old", old: TWO, new: null },
    ]);
    expect([...(head?.capabilities ?? [])]).toEqual(["report-status", "side-band-64k", "agent=git/2.39.5"]);
  });

  it("skips what a shallow clone says of itself, and takes a push of nothing", () => {
    const shallow = Buffer.concat([toPktLine(`shallow ${ONE}`), command(ZEROS, ONE, "refs/heads/x"), FLUSH]);
    expect(parsePushHead(shallow)?.commands).toHaveLength(1);
    expect(parsePushHead(FLUSH)?.commands).toEqual([]);
  });

  it("waits for the rest at every byte", () => {
    const bytes = Buffer.concat([command(ONE, TWO, "refs/heads/main", "report-status"), FLUSH]);
    for (let size = 0; size < bytes.length; size += 1) expect(parsePushHead(bytes.subarray(0, size))).toBeNull();
    expect(parsePushHead(bytes)).not.toBeNull();
  });

  it.each([
    ["letters where a length should be", Buffer.from("zzzz")],
    ["a length that holds itself alone", Buffer.from("0004")],
    ["a signed push, which is not offered", Buffer.concat([toPktLine("push-cert\0 x\n"), FLUSH])],
    ["a name with a NUL", Buffer.concat([command(ONE, TWO, "refs/heads/a"), toPktLine(`${ONE} ${TWO} a\0b\n`), FLUSH])],
    ["a name that is too long", Buffer.concat([command(ONE, TWO, `refs/heads/${"a".repeat(300)}`), FLUSH])],
  ])("refuses %s", (_, bytes) => {
    expect(() => parsePushHead(bytes)).toThrow(expect.objectContaining({ code: "bad_request" }));
  });

  it("takes as many commands as the bound says and not one more", () => {
    const commands = Array.from({ length: LIMITS.gitCommandsPerPushMax }, (_, n) =>
      command(ZEROS, ONE, `refs/heads/${n}`),
    );
    expect(parsePushHead(Buffer.concat([...commands, FLUSH]))?.commands).toHaveLength(LIMITS.gitCommandsPerPushMax);
    const more = Buffer.concat([...commands, command(ZEROS, ONE, "refs/heads/more")]);
    expect(() => parsePushHead(more)).toThrow(expect.objectContaining({ code: "too_large" }));
  });
});

describe("readPushHead", () => {
  it("gives the whole body back, however it was cut", async () => {
    const bytes = Buffer.concat([command(ONE, TWO, "refs/heads/main", "x"), FLUSH, Buffer.from("PACK and more")]);
    for (const size of [1, 7, 1000]) {
      const { head, body } = await readPushHead(cut(bytes, size));
      expect(head.commands).toHaveLength(1);
      expect(await joined(body)).toEqual(bytes);
    }
  });

  it("refuses a body that ends within its commands", async () => {
    await expect(readPushHead(cut(Buffer.from("00ff12"), 3))).rejects.toMatchObject({ code: "bad_request" });
  });
});

describe("toRefusal", () => {
  const head = (...capabilities: string[]): PushHead => ({
    commands: [{ ref: "refs/heads/main", old: ONE, new: TWO }],
    capabilities: new Set(capabilities),
  });

  it("answers each command with the reason, on one line", () => {
    const said = toRefusal(head("report-status"), "no\nsecond line").toString();
    expect(said).toBe("000eunpack ok\n0026ng refs/heads/main no second line\n0000");
  });

  it("wraps the report where the client reads in bands", () => {
    const wrapped = toRefusal(head("report-status-v2", "side-band-64k"), "no").toString();
    expect(wrapped).toBe("0031\u0001000eunpack ok\n001ang refs/heads/main no\n00000000");
  });

  it("still says the words to a client that wants no report", () => {
    expect(toRefusal(head("side-band-64k"), "no").toString()).toBe("0008\u0002no\n0000");
    expect(toRefusal(head(), "no").toString()).toBe("0000");
  });
});

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function joined(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
