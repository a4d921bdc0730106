import { describe, expect, it } from "vitest";
import { parseCgiHead } from "../../../server/git/cgi-response.ts";

describe("parseCgiHead", () => {
  it("takes status, headers that git sends, and where the body begins", () => {
    const bytes = Buffer.from("Status: 404 Not Found\r\nContent-Type: text/x\r\nX-Other: 1\r\n\r\nbody");
    expect(parseCgiHead(bytes)).toEqual({ head: { status: 404, headers: { "content-type": "text/x" } }, bodyAt: 59 });
    expect(bytes.subarray(59).toString()).toBe("body");
  });

  it("means 200 where no status is said, and waits for the empty line", () => {
    expect(parseCgiHead(Buffer.from("Expires: never\r\n\r\n"))?.head).toEqual({
      status: 200,
      headers: { expires: "never" },
    });
    expect(parseCgiHead(Buffer.from("Expires: never\r\n"))).toBeNull();
  });

  it("does not wait for ever", () => {
    expect(() => parseCgiHead(Buffer.alloc(17_000, "a"))).toThrow(expect.objectContaining({ code: "internal" }));
  });
});
