/** What was opened, closed in the opposite order; one that fails does not keep the others open. */
export interface Closers {
  add(close: () => Promise<void>): void;
  closeAll(): Promise<void>;
}

export function openClosers(): Closers {
  const closers: (() => Promise<void>)[] = [];
  return {
    add: (close) => closers.unshift(close),
    closeAll: async () => {
      const failures: unknown[] = [];
      for (const close of closers.splice(0)) await close().catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0];
    },
  };
}
