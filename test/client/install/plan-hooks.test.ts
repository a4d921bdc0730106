import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildHookEntries, HOOK_EVENTS } from "../../../client/install/hook-entries.ts";
import { planHooks, planNoHooks } from "../../../client/install/plan-hooks.ts";

const ENTRIES = buildHookEntries({ platform: "linux", node: "/usr/bin/node", client: "/d/team-memory.cjs" });
const OLD = buildHookEntries({ platform: "linux", node: "/old/node", client: "/old/team-memory.cjs" });
const OTHER = { matcher: "startup", hooks: [{ type: "command", command: "echo hello" }] };

/** What clients wrote that knew one event. */
const EARLIER = { SessionStart: OLD.SessionStart };

const hooksOf = (text: string) => JSON.parse(text).hooks;
/** Our entries behind those that stood there before. */
const added = (before: Record<string, unknown[]> = {}, entries = ENTRIES) => ({
  ...before,
  ...Object.fromEntries(HOOK_EVENTS.map((event) => [event, [...(before[event] ?? []), ...entries[event]]])),
});
const indented = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const SETTINGS: [string, string][] = [
  ["nothing else", "{}\n"],
  ["other settings", indented({ model: "opus", permissions: { allow: ["Bash(ls)"] } })],
  ["no hooks in them", indented({ hooks: {} })],
  ["hooks of other events", indented({ hooks: { Notification: [OTHER], Stop: [OTHER] } })],
  ["an empty list", indented({ hooks: { SessionStart: [] } })],
  ["another tool's entry", indented({ hooks: { SessionStart: [OTHER] }, model: "opus" })],
  [
    "another tool's entries around ours",
    indented({ hooks: { SessionEnd: [OTHER], X: [], SessionStart: [OTHER], Y: [OTHER] } }),
  ],
  ["malformed entries", indented({ hooks: { SessionStart: [null, "x", { hooks: "x" }, { hooks: [1] }, {}] } })],
  ["one line", '{"hooks":{"SessionStart":[{"hooks":[]}]}}'],
  ["tabs, CRLF and no final newline", '{\r\n\t"hooks": {\r\n\t\t"SessionStart": [\r\n\t\t\t{}\r\n\t\t]\r\n\t}\r\n}'],
];

describe("planHooks", () => {
  it.each(SETTINGS)("adds to settings with %s, and planNoHooks gives back the same text", (_, before) => {
    const plan = planHooks(before, ENTRIES);
    expect(hooksOf(plan.text)).toEqual(added(JSON.parse(before).hooks));
    expect(plan.clean).toBe(before);
    expect(planNoHooks(plan.text, plan.made)).toBe(before);
  });

  it("makes a file where there is none, and it goes again", () => {
    const plan = planHooks(null, ENTRIES);
    expect(plan).toMatchObject({ clean: null, made: { file: true, hooks: true, lists: HOOK_EVENTS } });
    expect(JSON.parse(plan.text)).toEqual({ hooks: ENTRIES });
    expect(planNoHooks(plan.text, plan.made)).toBeNull();
  });

  it("changes nothing the second time", () => {
    for (const [, before] of SETTINGS) {
      const once = planHooks(before, ENTRIES);
      expect(planHooks(once.text, ENTRIES, once.made)).toEqual({ ...once, clean: planNoHooks(once.text, once.made) });
    }
  });

  it("puts new lines in place of those of an older client, and keeps what the first run was told to undo", () => {
    const first = planHooks(null, OLD);
    const second = planHooks(first.text, ENTRIES, first.made);
    expect(hooksOf(second.text)).toEqual(ENTRIES);
    expect(second).toMatchObject({ clean: null, made: first.made });
    const other = planHooks(indented({ hooks: { SessionStart: [OTHER] } }), OLD);
    expect(hooksOf(planHooks(other.text, ENTRIES, other.made).text)).toEqual(added({ SessionStart: [OTHER] }));
  });

  it("puts all events in place of those of a client that knew fewer", () => {
    const made = { file: true, hooks: true, lists: ["SessionStart"] } as const;
    const plan = planHooks(indented({ hooks: EARLIER }), ENTRIES, made);
    expect(hooksOf(plan.text)).toEqual(ENTRIES);
    expect(planNoHooks(plan.text, plan.made)).toBeNull();
    const beside = planHooks(indented({ hooks: { Stop: [OTHER], ...EARLIER } }), ENTRIES, { ...made, file: false });
    expect(hooksOf(beside.text)).toEqual(added({ Stop: [OTHER] }));
    expect(JSON.parse(planNoHooks(beside.text, beside.made) ?? "")).toEqual({ hooks: { Stop: [OTHER] } });
  });

  it("moves a line of ours from an event where it does not belong", () => {
    const text = indented({ hooks: { ...ENTRIES, Notification: [...ENTRIES.Stop, OTHER] } });
    expect(hooksOf(planHooks(text, ENTRIES).text)).toEqual(added({ Notification: [OTHER] }));
  });

  it("replaces a second copy and a half one", () => {
    const { SessionStart, Stop } = ENTRIES;
    const twice = indented({
      hooks: { SessionStart: [...SessionStart, OTHER, ...SessionStart], Stop: [...Stop, ...Stop] },
    });
    expect(hooksOf(planHooks(twice, ENTRIES).text)).toEqual(added({ SessionStart: [OTHER] }));
    const half = indented({ hooks: { SessionStart: [SessionStart[1], OTHER] } });
    expect(hooksOf(planHooks(half, ENTRIES).text)).toEqual(added({ SessionStart: [OTHER] }));
  });

  it.each([
    ["empty", ""],
    ["not JSON", "{,}"],
    ["with comments", "{} // mine"],
    ["with a trailing comma", '{"model": "opus",}'],
    ["a list", "[]"],
    ["null", "null"],
    ["hooks that are a list", '{"hooks": []}'],
    ["hooks that are null", '{"hooks": null}'],
    ["a list that is an object", '{"hooks": {"SessionStart": {}}}'],
    ["another event's list that is a text", '{"hooks": {"Stop": "x"}}'],
  ])("refuses settings that are %s", (_, text) => {
    expect(() => planHooks(text, ENTRIES)).toThrow(expect.objectContaining({ code: "settings_invalid" }));
    expect(() => planNoHooks(text, { file: true, hooks: true, lists: HOOK_EVENTS })).toThrow(
      expect.objectContaining({ code: "settings_invalid" }),
    );
  });
});

describe("planNoHooks", () => {
  const ALL = { file: true, hooks: true, lists: HOOK_EVENTS };

  it("keeps what others have added since, and the containers that still hold something", () => {
    const { text, made } = planHooks(null, ENTRIES);
    const withOther = text.replace('"SessionStart": [', `"SessionStart": [${JSON.stringify(OTHER)},`);
    expect(JSON.parse(planNoHooks(withOther, made) ?? "")).toEqual({ hooks: { SessionStart: [OTHER] } });
    const withModel = text.replace("{", '{"model": "opus",');
    expect(JSON.parse(planNoHooks(withModel, made) ?? "")).toEqual({ model: "opus" });
  });

  it("keeps empty containers that were there before", () => {
    const made = { ...ALL, lists: HOOK_EVENTS.filter((event) => event !== "Stop") };
    expect(JSON.parse(planNoHooks(indented({ hooks: ENTRIES }), made) ?? "")).toEqual({ hooks: { Stop: [] } });
  });

  it("leaves an empty list alone that held none of ours", () => {
    const text = indented({ hooks: { Stop: [], ...EARLIER } });
    expect(JSON.parse(planNoHooks(text, ALL) ?? "")).toEqual({ hooks: { Stop: [] } });
  });

  it("takes our line alone out of an entry that holds others", () => {
    const mixed = { hooks: [...OTHER.hooks, ...(ENTRIES.SessionStart[0]?.hooks ?? [])] };
    const text = indented({ hooks: { SessionStart: [mixed] } });
    expect(hooksOf(planNoHooks(text, ALL) ?? "")).toEqual({ SessionStart: [{ hooks: OTHER.hooks }] });
  });

  it("leaves a text without ours as it is, to the letter", () => {
    for (const [, text] of SETTINGS) expect(planNoHooks(text, ALL)).toBe(text);
  });

  it("gives back any settings that planHooks was given", () => {
    const settings = fc.record({
      hooks: fc.record({
        SessionStart: fc.array(fc.oneof(fc.constant(OTHER), fc.jsonValue()), { minLength: 1 }),
        Stop: fc.array(fc.jsonValue()),
        Notification: fc.jsonValue(),
      }),
      model: fc.jsonValue(),
    });
    fc.assert(
      fc.property(settings, fc.constantFrom<(string | number)[]>(0, 2, "\t"), (value, unit) => {
        const before = JSON.stringify(value, null, unit);
        const plan = planHooks(before, ENTRIES);
        expect(planNoHooks(plan.text, plan.made)).toBe(before);
      }),
      { numRuns: 200 },
    );
  });
});
