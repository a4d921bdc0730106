import { describe, expect, it } from "vitest";
import { parseUnchanged } from "../../../client/http/parse-unchanged.ts";

const STATUS = "HTTP/1.1 304 Not Modified\r\n";
const TAG = '"abc"';

describe("parseUnchanged", () => {
  it("gives the headers by their lower-case names, blanks around a value left out", () => {
    const answer = `${STATUS}ETag: ${TAG}\r\nX-Outcomes:  {"a": "b:c"} \r\nX-Empty:\r\n\r\n`;
    expect(parseUnchanged(answer, TAG)).toEqual({ etag: TAG, "x-outcomes": '{"a": "b:c"}', "x-empty": "" });
  });

  it.each([
    ["nothing", ""],
    ["half a status line", "HTTP/1.1 304 Not"],
    ["half a head", `${STATUS}etag: ${TAG}\r\n`],
    ["a head without its tag", `${STATUS}date: now\r\n\r\n`],
    ["no header at all", `${STATUS}\r\n`],
    ["another tag", `${STATUS}etag: "abd"\r\n\r\n`],
    ["the tag twice", `${STATUS}etag: ${TAG}\r\nETag: ${TAG}\r\n\r\n`],
    ["another status", `HTTP/1.1 200 OK\r\netag: ${TAG}\r\n\r\n`],
    ["a number behind the status", `HTTP/1.1 3040 Not Modified\r\netag: ${TAG}\r\n\r\n`],
    ["an older protocol", `HTTP/1.0 304 Not Modified\r\netag: ${TAG}\r\n\r\n`],
    ["early hints first", `HTTP/1.1 103 Early Hints\r\n\r\n${STATUS}etag: ${TAG}\r\n\r\n`],
    ["something behind the head", `${STATUS}etag: ${TAG}\r\n\r\nx`],
    ["a second answer behind the first", `${STATUS}etag: ${TAG}\r\n\r\n${STATUS}etag: ${TAG}\r\n\r\n`],
    ["bare line feeds", `HTTP/1.1 304 Not Modified\netag: ${TAG}\n\n`],
    ["a folded header", `${STATUS}etag: ${TAG}\r\n more\r\n\r\n`],
    ["a blank before the colon", `${STATUS}etag : ${TAG}\r\n\r\n`],
    ["a header without a name", `${STATUS}etag: ${TAG}\r\n: x\r\n\r\n`],
    ["a control character", `${STATUS}etag: ${TAG}\r\nx: \0\r\n\r\n`],
    ["a byte that is no ASCII", `${STATUS}etag: ${TAG}\r\nx: \xe4\r\n\r\n`],
  ])("leaves to others what is not just that: %s", (_, answer) => {
    expect(parseUnchanged(answer, TAG)).toBeNull();
  });
});
