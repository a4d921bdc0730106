/** One line of the results: ours against something that people know, and the budget for the ratio of the two. */
export interface Row {
  readonly work: string;
  readonly against: string;
  readonly unit: "ms" | "requests/s" | "MB";
  readonly ours: number;
  readonly theirs: number;
  /** Ours over theirs. */
  readonly ratio: number;
  readonly budget: { readonly atMost: number } | { readonly atLeast: number };
  readonly holds: boolean;
}

/** `ratio`: where it is known better than by the two figures. */
export function toRow(row: Omit<Row, "ratio" | "holds"> & { readonly ratio?: number }): Row {
  const ratio = row.ratio ?? row.ours / row.theirs;
  const holds = "atMost" in row.budget ? ratio <= row.budget.atMost : ratio >= row.budget.atLeast;
  return { ...row, ours: round(row.ours, 1), theirs: round(row.theirs, 1), ratio: round(ratio, 2), holds };
}

export function printRows(rows: readonly Row[]): string {
  const cells = [
    ["work", "against", "ours", "theirs", "ratio", "budget", ""],
    ...rows.map((row) => [
      row.work,
      row.against,
      `${row.ours} ${row.unit}`,
      `${row.theirs} ${row.unit}`,
      row.ratio.toFixed(2),
      "atMost" in row.budget ? `<= ${row.budget.atMost}` : `>= ${row.budget.atLeast}`,
      row.holds ? "ok" : "OVER",
    ]),
  ];
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
