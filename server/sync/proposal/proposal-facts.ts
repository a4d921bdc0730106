import type { GitId } from "../../git/port.ts";
import type { HistoryIndex } from "../history/history-index.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import type { Outcome } from "./outcome.ts";
import type { WantedSet } from "./parse-request.ts";
import type { OpenProposal } from "./proposal.ts";

/** All that is looked at to plan a proposal. */
export interface ProposalFacts {
  readonly id: string;
  readonly wanted: WantedSet;
  /** The project on the current base. */
  readonly snapshot: Snapshot;
  readonly index: HistoryIndex;
  readonly base: GitId;
  readonly open: OpenProposal | null;
  /** What was said of the open proposal so far: keys that were rejected. */
  readonly said: Outcome | null;
  /** Replaced keys whose text on the branch nobody may propose any more. */
  readonly unfit: ReadonlySet<string>;
}
