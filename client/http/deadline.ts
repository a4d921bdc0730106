/**
 * One deadline over all the steps of a call. A timer rather than an AbortSignal: loading that takes longer than all the rest
 * of a call to this machine, and every session's start would wait for it.
 */
export interface Deadline {
  isOver(): boolean;
  /** Waits for a step; `stop` ends it where the time is over first, and with it what is waited for. */
  during<T>(step: Promise<T>, stop: () => void): Promise<T>;
  /** No step is under way any more. */
  end(): void;
}

export function startDeadline(timeoutMs: number): Deadline {
  let stopStep = () => {};
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    stopStep();
  }, timeoutMs);
  return {
    isOver: () => isOver,
    during: (step, stop) => {
      stopStep = stop;
      if (isOver) stop();
      return step;
    },
    end: () => clearTimeout(timer),
  };
}
