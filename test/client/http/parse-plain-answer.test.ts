import { describe, expect, it } from "vitest";
import { parsePlainAnswer } from "../../../client/http/parse-plain-answer.ts";

const STATUS = "HTTP/1.1 304 Not Modified\r\n";
const OK = "HTTP/1.1 200 OK\r\n";
const TAG = '"abc"';

describe("parsePlainAnswer", () => {
  it("gives the headers by their lower-case names, blanks around a value left out", () => {
    const answer = `${STATUS}ETag: ${TAG}\r\nX-Outcomes:  {"a": "b:c"} \r\nX-Empty:\r\n\r\n`;
    expect(parse(answer)).toEqual({
      status: 304,
      headers: { etag: TAG, "x-outcomes": '{"a": "b:c"}', "x-empty": "" },
      body: Buffer.alloc(0),
    });
  });

  it.each([
    ["a body of just the length that is named", "ab\r\n\r\n\xff"],
    ["an empty one", ""],
  ])("gives a new answer: %s", (_, body) => {
    const headers = { etag: '"other"', "content-length": `${body.length}` };
    const answer = `HTTP/1.1 200 OK\r\nETag: "other"\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    expect(parse(answer)).toEqual({ status: 200, headers, body: Buffer.from(body, "latin1") });
  });

  it.each([
    ["nothing", ""],
    ["half a status line", "HTTP/1.1 304 Not"],
    ["half a head", `${STATUS}etag: ${TAG}\r\n`],
    ["a head without its tag", `${STATUS}date: now\r\n\r\n`],
    ["no header at all", `${STATUS}\r\n`],
    ["another tag", `${STATUS}etag: "abd"\r\n\r\n`],
    ["the tag twice", `${STATUS}etag: ${TAG}\r\nETag: ${TAG}\r\n\r\n`],
    ["another status", `HTTP/1.1 404 Not Found\r\netag: ${TAG}\r\ncontent-length: 0\r\n\r\n`],
    ["a new answer that names no length", `${OK}etag: ${TAG}\r\n\r\n`],
    ["half a body", `${OK}content-length: 2\r\n\r\na`],
    ["more than the body", `${OK}content-length: 2\r\n\r\nabc`],
    ["a length twice", `${OK}content-length: 2\r\nContent-Length: 2\r\n\r\nab`],
    ["a length of two numbers", `${OK}content-length: 2, 2\r\n\r\nab`],
    ["a length with a sign", `${OK}content-length: +2\r\n\r\nab`],
    ["a length and chunks", `${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\nab`],
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
    expect(parse(answer)).toBeNull();
  });
});

function parse(answer: string) {
  return parsePlainAnswer(Buffer.from(answer, "latin1"), TAG);
}
