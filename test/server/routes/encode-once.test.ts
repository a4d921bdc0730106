import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { chooseEncoding, encodeOnce } from "../../../server/routes/encode-once.ts";

describe("chooseEncoding", () => {
  it.each([
    { header: undefined, expected: "identity" },
    { header: "", expected: "identity" },
    { header: "gzip", expected: "gzip" },
    { header: "deflate, GZIP;q=0.5", expected: "gzip" },
    { header: "br, gzip;q=1.0, *;q=0", expected: "gzip" },
    { header: "gzip;q=0", expected: "identity" },
    { header: "gzip; q=0.000", expected: "identity" },
    { header: "x-gzip-like", expected: "identity" },
  ])("takes $expected for $header", ({ header, expected }) => {
    expect(chooseEncoding(header)).toBe(expected);
  });
});

describe("encodeOnce", () => {
  it("makes the bytes of one object once, for all who ask at the same time", async () => {
    const body = { text: "memory" };
    const [one, other] = await Promise.all([encodeOnce(body, "gzip"), encodeOnce(body, "gzip")]);
    expect(one).toBe(other);
    expect(await encodeOnce(body, "gzip")).toBe(one);
    expect(gunzipSync(one).toString()).toBe('{"text":"memory"}');
    expect((await encodeOnce(body, "identity")).toString()).toBe('{"text":"memory"}');
  });

  it("makes them anew for another object", async () => {
    expect(await encodeOnce({ text: "a" }, "gzip")).not.toBe(await encodeOnce({ text: "a" }, "gzip"));
  });
});
