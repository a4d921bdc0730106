import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { appendJson, removeJson } from "../../../client/install/edit-json.ts";
import { scanJson } from "../../../client/install/scan-json.ts";
import { LIMITS } from "../../../shared/limits.ts";

const ITEM = { key: "x", value: { a: [1] } };

describe("appendJson", () => {
  it.each([
    ["two spaces", '{\n  "m": 1\n}\n', '{\n  "m": 1,\n  "x": {\n    "a": [\n      1\n    ]\n  }\n}\n'],
    [
      "four spaces",
      '{\n    "m": 1\n}',
      '{\n    "m": 1,\n    "x": {\n        "a": [\n            1\n        ]\n    }\n}',
    ],
    ["tabs", '{\n\t"m": 1\n}', '{\n\t"m": 1,\n\t"x": {\n\t\t"a": [\n\t\t\t1\n\t\t]\n\t}\n}'],
    ["CRLF", '{\r\n  "m": 1\r\n}', '{\r\n  "m": 1,\r\n  "x": {\r\n    "a": [\r\n      1\r\n    ]\r\n  }\r\n}'],
    ["one line with spaces", '{"m": 1, "n": 2}', '{"m": 1, "n": 2, "x": {"a":[1]}}'],
    ["one line without", '{"m":1}', '{"m":1,"x":{"a":[1]}}'],
    ["an empty object", "{}\n", '{\n  "x": {\n    "a": [\n      1\n    ]\n  }\n}\n'],
    ["an empty object with blanks", "{ \n }", '{\n  "x": {\n    "a": [\n      1\n    ]\n  }\n}'],
    ["a BOM", '\uFEFF{"m":1}', '\uFEFF{"m":1,"x":{"a":[1]}}'],
    ["brackets in strings", '{"m":"}]\\"{"}', '{"m":"}]\\"{","x":{"a":[1]}}'],
  ])("keeps the style of %s", (_, before, after) => {
    expect(appendJson(before, [], ITEM)).toBe(after);
  });

  it("indents by what it finds where it inserts", () => {
    const text = '{\n  "hooks": {\n    "Stop": []\n  }\n}\n';
    expect(appendJson(text, ["hooks", "Stop"], { value: "x" })).toBe(
      '{\n  "hooks": {\n    "Stop": [\n      "x"\n    ]\n  }\n}\n',
    );
  });

  it("of a key that stands twice takes the last, as parsing does", () => {
    expect(appendJson('{"h":[1],"h":[2]}', ["h"], { value: 3 })).toBe('{"h":[1],"h":[2,3]}');
  });

  it("leaves numbers, escapes and the order of number-like keys as they are written", () => {
    const text = '{"10": 1.0, "2": 1e5, "a": "\\u0041\\/"}';
    expect(appendJson(text, [], { key: "x", value: 0 })).toBe('{"10": 1.0, "2": 1e5, "a": "\\u0041\\/", "x": 0}');
  });
});

describe("removeJson", () => {
  it.each([
    ["the first of two", '{"a": 1, "b": 2}', ["a"], '{"b": 2}'],
    ["the last of two", '{"a": 1, "b": 2}', ["b"], '{"a": 1}'],
    ["one between", "[1, 2, 3]", [1], "[1, 3]"],
    ["the only one", '{"a": [1]}', ["a", 0], '{"a": []}'],
    ["what is not there", '{"a": 1}', ["b"], '{"a": 1}'],
    ["below what is not there", '{"a": 1}', ["b", 0], '{"a": 1}'],
    ["over several lines", '{\n  "a": 1,\n  "b": 2\n}\n', ["a"], '{\n  "b": 2\n}\n'],
  ])("cuts out %s", (_, before, path, after) => {
    expect(removeJson(before, path)).toBe(after);
  });
});

describe("appendJson and removeJson", () => {
  const indent = fc.constantFrom<[unknown, string][]>(["  ", "\n"], ["\t", "\n"], ["    ", "\r\n"], ["", "\n"]);

  it("give back every character of any JSON object", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
        indent,
        fc.jsonValue(),
        (json, style, value) => {
          const [unit, eol] = style as [string, string];
          const text = JSON.stringify(json, null, unit).replaceAll("\n", eol);
          const grown = appendJson(text, [], { key: "\u0000ours", value });
          expect(JSON.parse(grown)).toEqual({ ...JSON.parse(text), "\u0000ours": JSON.parse(JSON.stringify(value)) });
          expect(removeJson(grown, ["\u0000ours"])).toBe(text);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("scanJson", () => {
  it("finds each value where it stands", () => {
    const text = ' {"a": [true, {"b": "c"}], "d": -1.5e3} ';
    const seen: string[] = [];
    const visit = (node: ReturnType<typeof scanJson>) => {
      seen.push(text.slice(node.start, node.end));
      for (const child of node.children) visit(child.value);
    };
    visit(scanJson(text));
    expect(seen).toEqual([text.trim(), '[true, {"b": "c"}]', "true", '{"b": "c"}', '"c"', "-1.5e3"]);
  });

  it("goes as deep as its bound and no deeper", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(() => scanJson(nested(LIMITS.settingsDepthMax + 1))).not.toThrow();
    expect(() => scanJson(nested(LIMITS.settingsDepthMax + 2))).toThrow(
      expect.objectContaining({ code: "settings_invalid" }),
    );
  });
});
