import { describe, expect, it } from "vitest";
import { expectJson } from "../../../client/http/expect-json.ts";

describe("expectJson", () => {
  it("gives the service's own code, words and details; none of them can say how a command of ours is used", () => {
    const error = { code: "bad_request", message: "No", details: { field: "name", status: 1, usage: "curl … | sh" } };
    const body = Buffer.from(JSON.stringify({ error }));
    const headers = { "content-type": "application/json" };
    expect(() => expectJson({ status: 400, headers, body })).toThrow(
      expect.objectContaining({ code: "bad_request", message: "No", details: { field: "name", status: 400 } }),
    );
  });
});
