export interface OnceAsked<T> {
  /** The answer; asked for at the first call, and again after a failure. */
  get(): Promise<T>;
  /** The next call asks again. */
  forget(): void;
}

export function askOnce<T>(ask: () => Promise<T>): OnceAsked<T> {
  let answer: Promise<T> | null = null;
  const forget = () => {
    answer = null;
  };
  const get = () => {
    answer ??= ask().catch((error: unknown) => {
      forget();
      throw error;
    });
    return answer;
  };
  return { get, forget };
}
