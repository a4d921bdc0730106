import { describe, expect, it, vi } from "vitest";
import { within } from "../../../server/commands/within.ts";

describe("within", () => {
  it.each([
    { what: "work that ends in time", work: () => Promise.resolve(), late: 0 },
    { what: "work that never ends", work: () => new Promise<void>(() => {}), late: 1 },
  ])("of $what tells of lateness $late times", async ({ work, late }) => {
    const onLate = vi.fn();
    await within(20, work(), onLate);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(onLate).toHaveBeenCalledTimes(late);
  });

  it("hands on what goes wrong", async () => {
    await expect(within(1_000, Promise.reject(new Error("broken")), () => {})).rejects.toThrow("broken");
  });
});
