import { describe, expect, it } from "vitest";
import { toResultingText } from "../../../client/hooks/resulting-text.ts";
import { LIMITS } from "../../../shared/limits.ts";

const edit = (old_string: string, new_string: string, rest: object = {}) => ({ old_string, new_string, ...rest });
const whole = (text: string) => ({ kind: "whole", text });
const part = (text: string) => ({ kind: "part", text });
const UNKNOWN = { kind: "unknown" };

describe("toResultingText", () => {
  it.each([
    ["Write", "is its content", { content: "new" }, "old", whole("new")],
    ["Write", "is unknown without one", { content: 1 }, "old", UNKNOWN],
    ["Edit", "has the first place changed", edit("a", "b"), "a a", whole("b a")],
    ["Edit", "has every place changed", edit("a", "b", { replace_all: true }), "a a", whole("b b")],
    ["Edit", "takes $ as it is written", edit("a", "$&$1$`"), "xay", whole("x$&$1$`y")],
    ["Edit", "takes $ as it is written, for all", edit("a", "$&", { replace_all: true }), "aa", whole("$&$&")],
    ["Edit", "is found in a file with other line ends", edit("a\nb", "c"), "a\r\nb\r\n", whole("c\n")],
    ["Edit", "makes a file", edit("", "new"), null, whole("new")],
    ["Edit", "fills an empty one", edit("", "new"), "", whole("new")],
    ["Edit", "is known in part where it does not apply", edit("x", "new"), "old", part("new")],
    ["Edit", "is known in part where nothing says where", edit("", "new"), "old", part("new")],
    ["Edit", "is known in part without a file", edit("x", "new"), null, part("new")],
    ["Edit", "is unknown in another shape", { old_string: "a" }, "a", UNKNOWN],
    ["MultiEdit", "is made one after the other", { edits: [edit("a", "b"), edit("b", "c")] }, "a", whole("c")],
    ["MultiEdit", "is all or a part", { edits: [edit("a", "b"), edit("x", "y")] }, "a", part("b\ny")],
    ["MultiEdit", "makes a file and goes on", { edits: [edit("", "a"), edit("a", "b")] }, null, whole("b")],
    ["MultiEdit", "is unknown in another shape", { edits: [edit("a", "b"), null] }, "a", UNKNOWN],
  ])("of %s %s", (tool, _, input, file, expected) => {
    expect(toResultingText(tool, input, () => file)).toEqual(expected);
  });

  it.each([0, 1])("looks at as many edits as a call may have, plus %i", (more) => {
    const edits = Array.from({ length: LIMITS.editsPerCallMax + more }, () => edit("a", "a"));
    expect(toResultingText("MultiEdit", { edits }, () => "a")).toEqual(more === 0 ? whole("a") : UNKNOWN);
  });
});
