import type { QuarantinedFile } from "../snapshot/quarantine.ts";

/**
 * At most `countMax` files in their order, shared out among the rules: no rule's files are left out while another has more.
 * Attack: thousands of cut folders would push the one bad file beside them off the list. The last shown of a rule that
 * was cut says how many more there are.
 */
export function listQuarantined(files: readonly QuarantinedFile[], countMax: number): readonly QuarantinedFile[] {
  if (files.length <= countMax) return files;
  const byRule = groupByRule(files);
  const shares = shareOut(
    [...byRule.values()].map((group) => group.length),
    countMax,
  );
  const shown = [...byRule.values()].flatMap((group, at) => cut(group, shares[at] ?? 0));
  const order = new Map(files.map((file, at) => [file.path, at]));
  return shown.sort((one, other) => (order.get(one.path) ?? 0) - (order.get(other.path) ?? 0));
}

function groupByRule(files: readonly QuarantinedFile[]): ReadonlyMap<string, readonly QuarantinedFile[]> {
  const byRule = new Map<string, QuarantinedFile[]>();
  for (const file of files) {
    const group = byRule.get(file.rule);
    if (group === undefined) byRule.set(file.rule, [file]);
    else group.push(file);
  }
  return byRule;
}

/** Small groups whole, and the rest in equal parts to the large ones. */
function shareOut(sizes: readonly number[], countMax: number): readonly number[] {
  const shares = sizes.map(() => 0);
  const bySize = [...sizes.keys()].sort((one, other) => (sizes[one] ?? 0) - (sizes[other] ?? 0));
  let left = countMax;
  for (const [done, at] of bySize.entries()) {
    const share = Math.min(sizes[at] ?? 0, Math.floor(left / (bySize.length - done)));
    shares[at] = share;
    left -= share;
  }
  return shares;
}

function cut(group: readonly QuarantinedFile[], count: number): readonly QuarantinedFile[] {
  const shown = group.slice(0, count);
  const last = shown.at(-1);
  if (last === undefined || shown.length === group.length) return shown;
  const reason = `${last.reason} (and ${group.length - count} more like it)`;
  return [...shown.slice(0, -1), { ...last, reason }];
}
