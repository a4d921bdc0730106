import { LIMITS } from "../../../shared/limits.ts";

export interface WokenLooks {
  /** A look that begins from now on: at once, or after the one under way and a rest. */
  wake(): void;
  stop(): void;
}

/**
 * One look at a time, and one more for all who woke it meanwhile, so that a flood of deliveries asks the remotes no more
 * often than the bound says. `look` never fails.
 */
export function openWokenLooks(look: () => Promise<void>): WokenLooks {
  let state: "idle" | "busy" | "wanted" | "stopped" = "idle";
  let timer: NodeJS.Timeout | undefined;

  async function begin(): Promise<void> {
    state = "busy";
    await look();
    if (!isStopped()) timer = setTimeout(rested, LIMITS.webhookLookIntervalMs).unref();
  }
  function rested(): void {
    if (state === "wanted") void begin();
    else state = "idle";
  }
  const isStopped = () => state === "stopped";

  return {
    wake: () => {
      if (state === "idle") void begin();
      else if (state === "busy") state = "wanted";
    },
    stop: () => {
      state = "stopped";
      clearTimeout(timer);
    },
  };
}
