import { describe, expect, it } from "vitest";
import { parseGitRoute } from "../../../server/git/git-route.ts";

describe("parseGitRoute", () => {
  it.each([
    ["GET", "/info/refs", "service=git-upload-pack", { service: "git-upload-pack", step: "advertise" }],
    ["GET", "/info/refs", "service=git-receive-pack", { service: "git-receive-pack", step: "advertise" }],
    ["POST", "/git-upload-pack", "", { service: "git-upload-pack", step: "exchange" }],
    ["POST", "/git-receive-pack", "", { service: "git-receive-pack", step: "exchange" }],
  ])("takes %s %s?%s", (method, path, query, route) => {
    expect(parseGitRoute(method, path, query)).toEqual(route);
  });

  it.each([
    ["GET", "/info/refs", "", "not_found"],
    ["GET", "/info/refs", "service=git-upload-archive", "not_found"],
    ["GET", "/info/refs", "service=upload-pack", "not_found"],
    ["GET", "/HEAD", "", "not_found"],
    ["GET", "/objects/info/packs", "", "not_found"],
    ["GET", "/objects/ab/cd", "", "not_found"],
    ["POST", "/git-upload-archive", "", "not_found"],
    ["POST", "/../git-upload-pack", "", "not_found"],
    ["GET", "/info/refs/", "service=git-upload-pack", "not_found"],
    ["POST", "/info/refs", "service=git-upload-pack", "method_not_allowed"],
    ["HEAD", "/info/refs", "service=git-upload-pack", "method_not_allowed"],
    ["GET", "/git-receive-pack", "", "method_not_allowed"],
    ["PUT", "/git-receive-pack", "", "method_not_allowed"],
  ])("refuses %s %s?%s with %s", (method, path, query, code) => {
    expect(() => parseGitRoute(method, path, query)).toThrow(expect.objectContaining({ code }));
  });
});
