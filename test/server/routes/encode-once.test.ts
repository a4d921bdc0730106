import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { chooseEncoding, encodeOnce } from "../../../server/routes/encode-once.ts";
import { LIMITS } from "../../../shared/limits.ts";

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
  const text = "x".repeat(LIMITS.compressedSizeBytesMin);

  it("makes the bytes of one object once, for all who ask at the same time", async () => {
    const body = { text };
    const [one, other] = await Promise.all([encodeOnce(body, "gzip"), encodeOnce(body, "gzip")]);
    expect(one).toBe(other);
    expect(await encodeOnce(body, "gzip")).toBe(one);
    expect(one.encoding).toBe("gzip");
    expect(JSON.parse(gunzipSync(one.bytes).toString())).toEqual(body);
    const plain = await encodeOnce(body, "identity");
    expect(plain.encoding).toBe("identity");
    expect(JSON.parse(plain.bytes.toString())).toEqual(body);
  });

  it("makes them anew for another object", async () => {
    expect(await encodeOnce({ text: "a" }, "gzip")).not.toBe(await encodeOnce({ text: "a" }, "gzip"));
  });

  it.each([
    { sizeBytes: LIMITS.compressedSizeBytesMin - 1, encoding: "identity" },
    { sizeBytes: LIMITS.compressedSizeBytesMin, encoding: "gzip" },
  ])("gives $encoding for $sizeBytes bytes to who takes gzip", async ({ sizeBytes, encoding }) => {
    const frame = JSON.stringify({ text: "" }).length;
    expect((await encodeOnce({ text: "x".repeat(sizeBytes - frame) }, "gzip")).encoding).toBe(encoding);
  });
});
