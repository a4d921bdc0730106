import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ERROR_CODES } from "../../shared/errors/codes.ts";
import { codeOf, ROOT, readProductionSources } from "./source-tree.ts";

describe("ERROR_CODES", () => {
  const code = [...readProductionSources()]
    .filter(([path]) => path !== "shared/errors/codes.ts")
    .map(([, source]) => codeOf(source, { strings: true }))
    .join("\n");

  it("are each constructed somewhere", () => {
    const idle = Object.keys(ERROR_CODES).filter((name) => !code.includes(`"${name}"`));
    expect(idle).toEqual([]);
  });

  it("stand in README's table, each with its status, exit code and remedy, and no others", () => {
    const rows = Object.entries(ERROR_CODES).map(([name, row]) => [
      `\`${name}\``,
      String(row.status),
      String(row.exit),
      row.remedy,
    ]);
    expect(readErrorTable()).toEqual(rows);
  });
});

function readErrorTable(): string[][] {
  const readme = readFileSync(`${ROOT}README.md`, "utf8");
  const table = /<!-- errors:begin -->\n([\s\S]*?)<!-- errors:end -->/.exec(readme)?.[1] ?? "";
  const [, , ...rows] = table.trim().split("\n");
  return rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll("\\|", "|")),
  );
}
