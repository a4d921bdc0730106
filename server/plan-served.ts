/** What holds between the remotes of one service: pure. */
import { findShadow, type Served, type ServedRemote } from "./served-remotes.ts";

/** One remote as its settings say, and whether they say that people are kept on it. */
export interface Row {
  readonly served: ServedRemote;
  readonly isMarked: boolean;
}

type Report = (at: readonly PropertyKey[], rule: string) => void;

/**
 * People are kept in the repository of the data folder where there is one, for it is what /git serves; else on the remote
 * that is marked, else on the first. `rows` has null for each one that could not be read; null where there is no other.
 */
export function planServed(
  rows: readonly (Row | null)[],
  report: (index: number, ...problem: Parameters<Report>) => void,
): Served | null {
  const good = rows.filter((row) => row !== null);
  const holder = good.find(isEmbedded) ?? good.find(({ isMarked }) => isMarked) ?? good[0];
  if (holder === undefined) return null;
  rows.forEach((row, index) => {
    const earlier = rows.slice(0, index).filter((other) => other !== null);
    if (row !== null) judgeRow(row, earlier, holder, (at, rule) => report(index, at, rule));
  });
  return { remotes: good.map(({ served }) => served), people: holder.served };
}

function judgeRow(row: Row, earlier: readonly Row[], holder: Row, report: Report): void {
  const { name, remote, projects } = row.served;
  if (earlier.some(({ served }) => served.name === name)) report(["name"], "another remote has this name");
  // Two bases of one repository would share its proposals and its state.
  if (earlier.some(({ served }) => served.remote?.url.url === remote?.url.url))
    report(["url"], remote === null ? "only one can be without an address" : "another remote has this address");
  if (row.isMarked && row !== holder)
    report(["people"], `people are kept in one place, which is ${holder.served.name}`);
  const taken = earlier.flatMap(({ served }) => served.projects);
  projects.forEach((pattern, at) => {
    const shadow = findShadow(pattern, taken);
    if (shadow !== null) report(["projects", at], `never reached: ${shadow} of a remote above takes all of it`);
  });
}

function isEmbedded({ served }: Row): boolean {
  return served.remote === null;
}
