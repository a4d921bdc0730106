import type { TokenSource } from "../git/remote/credentials.ts";
import { buildTokens } from "../git/remote/credentials.ts";

/** The token of a forge's API: read when it is needed, and again when it is refused. */
export interface ForgeToken {
  /** @throws TeamMemoryError remote_denied where it cannot be read */
  get(): Promise<string>;
  /** Reads it again; whether it is another one than was refused. */
  renew(refused: string): Promise<boolean>;
}

/** A `user:token` pair, as git remotes take it, counts for its token. */
export function buildForgeToken(source: TokenSource): ForgeToken {
  const tokens = buildTokens(source);
  const get = async () => ((await tokens.get()) ?? "").replace(/^[^:]*:/u, "");
  return {
    get,
    renew: async (refused) => {
      if ((await get()) === refused) tokens.forget();
      return (await get()) !== refused;
    },
  };
}
