import { expect, it } from "vitest";
import { toSeconds } from "../../client/to-seconds.ts";

it.each([
  [20_000, "20 s"],
  [1_500, "1.5 s"],
  [84, "0.1 s"],
  [0, "0 s"],
  [-200, "0 s"],
])("toSeconds reads %d ms as %s", (ms, said) => {
  expect(toSeconds(ms)).toBe(said);
});
