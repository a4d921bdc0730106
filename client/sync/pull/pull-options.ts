/** What a pull may take and how long. */
export interface PullOptions {
  /** When the pull was asked for, since the epoch: a request that began later answers it, whoever made it. */
  readonly askedAtMs: number;
  readonly lockWaitMs: number;
  /** For each request. */
  readonly timeoutMs?: number;
  readonly acceptRemovals?: boolean;
  /** Whether there is time to place so many memories; else the pull stops before anything is in place. */
  readonly mayPlace?: (memories: number) => boolean;
  readonly progress?: (text: string) => void;
}
