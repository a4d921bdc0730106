import { describe, expect, it } from "vitest";
import { didYouMean } from "../../../shared/text/did-you-mean.ts";

const KNOWN = ["status", "sync", "push", "pull", "rm", "restore", "conflicts", "keep-private"];

describe("didYouMean", () => {
  it.each([
    ["stauts", "status"],
    ["statsu", "status"],
    ["statu", "status"],
    ["statuss", "status"],
    ["stetos", "status"],
    ["syn", "sync"],
    ["pul", "pull"],
    ["psuh", "push"],
    ["conflict", "conflicts"],
    ["keepprivate", "keep-private"],
  ])("of %s: %s", (said, meant) => {
    expect(didYouMean(said, KNOWN)).toBe(` Did you mean ${meant}?`);
  });

  it.each([["frobnicate"], ["st"], [""], ["r"], ["xxxx"], ["x".repeat(1_000_000)]])("of others: nothing", (said) => {
    expect(didYouMean(said, KNOWN)).toBe("");
  });

  it("of what is as near to two: the first", () => {
    expect(didYouMean("puxl", ["pull", "push"])).toBe(" Did you mean pull?");
    expect(didYouMean("pu", ["pull", "push"])).toBe("");
  });
});
