import { describe, expect, it } from "vitest";
import { toShown, toShownKey } from "../../../client/sync/shown-key.ts";

const TOKEN = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;

describe("toShownKey", () => {
  it.each([
    ["feedback_testing.md", "feedback_testing.md"],
    [`${TOKEN}.md`, expect.stringMatching(/^ghp_\*+$/)],
    [`sub/${TOKEN}.md`, expect.stringMatching(/^ghp_\*+$/)],
  ])("of %s says %s", (key, shown) => {
    expect(toShownKey(key)).toEqual(shown);
  });

  it("masks the key of whatever is said of it, held back or not valid, and leaves the rest", () => {
    const shown = toShown({ key: `${TOKEN}.md`, because: "unknown" } as const);
    expect(shown.because).toBe("unknown");
    expect(JSON.stringify(shown)).not.toContain("a1B2c3D4");
  });
});
