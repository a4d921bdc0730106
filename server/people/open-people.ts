/**
 * People, tokens and invites: pure plans decide, the state files keep. An answer about a token comes from memory and
 * is at most `peopleRecheckMs` old, so that a token revoked by another process stops working within that time.
 */
import { ulid } from "ulid";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { parseProjectName } from "../../shared/project/parse-project-name.ts";
import type { JoinRequest } from "../../shared/protocol/schemas.ts";
import type { StateFiles } from "../state/state-files.ts";
import { CREDENTIAL_LENGTH_MAX, hashCredential, newInviteCode, newToken } from "./credentials.ts";
import { cacheDirectory, type Principal } from "./directory.ts";
import { type Grant, type InviteRecord, PEOPLE_FILES, type PeopleState, type PersonRecord } from "./people-files.ts";
import { planInvites } from "./plan-invites.ts";
import { findOpenInvite, planRedeem, type Redeemed } from "./plan-redeem.ts";
import { planFirstAdmin, planRevoke, planToken, type TokenWish } from "./plan-tokens.ts";

export interface InviteWish {
  readonly grant: Grant;
  readonly name: string | null;
  readonly email: string | null;
  /** Of somebody who is known already, in place of an address; left out: nobody is named so. */
  readonly personId?: string | null;
  readonly origin: InviteRecord["origin"];
}

export interface Invited {
  readonly id: string;
  /** Shown once: only its hash is kept. */
  readonly code: string;
  readonly expiresAt: string;
  /** Who joins with it stays this person; null: nobody yet, or whoever calls. */
  readonly person: Pick<PersonRecord, "id" | "name" | "email"> | null;
}

export interface Issued {
  readonly id: string;
  /** Shown once: only its hash is kept. */
  readonly token: string;
  readonly person: PersonRecord;
}

export interface People {
  /** Whose token this is; null: nobody's, or no longer. */
  authenticate(token: string): Promise<Principal | null>;
  /** The same from memory alone; null also says "ask". */
  recall(token: string): Principal | null;
  /**
   * `callerToken`: one that the caller has already; nobody's is as good as none. It is given back where it goes on.
   * @throws TeamMemoryError invite_invalid, invite_elsewhere, identity_taken, bad_request, secret_found
   */
  redeem(request: JoinRequest, callerToken?: string | null): Promise<Redeemed & { readonly token: string }>;
  /** @throws TeamMemoryError not_found, bad_request for an address that a person merely claims, secret_found, too_large */
  createInvites(wish: InviteWish, count: number): Promise<readonly Invited[]>;
  /** Until when this code lets somebody in; null: it does not. */
  inviteExpiry(code: string): Promise<string | null>;
  /** @throws TeamMemoryError secret_found, not_found, too_large */
  createToken(wish: Pick<TokenWish, "person" | "grant">, machine: string): Promise<Issued>;
  /** An admin on every project with this token, when the team has no admin yet. */
  createFirstAdmin(token: string): Promise<boolean>;
  /** @throws TeamMemoryError not_found */
  revoke(id: string): Promise<"token" | "invite">;
  list(): Promise<PeopleState>;
  /** @throws TeamMemoryError config_invalid when the hashes were made with another secret */
  assertSecret(): Promise<void>;
}

export interface PeopleDependencies {
  readonly state: StateFiles;
  readonly secret: string;
  readonly clock: () => Date;
}

export function openPeople({ state, secret, clock }: PeopleDependencies): People {
  const directory = cacheDirectory(state);
  const secretCheck = hashCredential(secret, "check", "team-memory");
  const hashToken = (token: string) => hashCredential(secret, "token", token);
  const hashInvite = (code: string) => hashCredential(secret, "invite", code);

  const change = async <R>(plan: (value: PeopleState) => { value: PeopleState; result: R }): Promise<R> => {
    const result = await state.updateTogether(PEOPLE_FILES, (before) => {
      const { value, result: planned } = plan(before);
      return { value: withSecretCheck(value, secretCheck), result: planned };
    });
    directory.forget();
    return result;
  };
  const issue = (token: string, machine: string) => ({
    id: ulid(clock().getTime()),
    hash: hashToken(token),
    machine,
    createdAt: clock().toISOString(),
  });

  return {
    recall: (token) => directory.recall()?.recalled.get(token) ?? null,
    authenticate: async (token) => {
      if (token.length > CREDENTIAL_LENGTH_MAX) return null;
      const hash = hashToken(token);
      const known = await directory.read();
      const current = known.principal(hash) === null ? await directory.reread() : known;
      const principal = current.principal(hash);
      if (principal !== null) current.recalled.set(token, principal);
      return principal;
    },
    redeem: async ({ code, projects: named, ...request }, callerToken = null) => {
      const projects = named?.map((text) => parseProjectName(text)) ?? null;
      const token = newToken();
      const { id, hash } = issue(token, "");
      const callerHash = callerToken === null ? null : hashToken(callerToken);
      const wish = { inviteHash: hashInvite(code), callerHash, request, projects, token: { id, hash } };
      const redeemed = await change((value) => planRedeem(value, { ...wish, personId: ulid(), now: clock() }));
      return { ...redeemed, token: redeemed.isCaller && callerToken !== null ? callerToken : token };
    },
    inviteExpiry: async (code) => {
      const kept = await state.readTogether(PEOPLE_FILES);
      return findOpenInvite(kept, hashInvite(code), clock())?.expiresAt ?? null;
    },
    createInvites: async (wish, count) => {
      const { personId = null, ...said } = wish;
      const made = Array.from({ length: count }, () => newInvite(said, secret, clock()));
      const invites = made.map(({ record }) => record);
      const person = await change((value) => planInvites(value, { invites, personId, now: clock() }));
      return made.map(({ record: { id, expiresAt }, code }) => ({ id, code, expiresAt, person }));
    },
    createToken: async (wish, machine) => {
      const token = newToken();
      const record = issue(token, machine);
      const person = await change((value) => planToken(value, { ...wish, token: record }));
      return { id: record.id, token, person };
    },
    createFirstAdmin: async (token) => {
      const record = issue(token, "service");
      const wish = { ...firstAdmin(clock()), token: record };
      return (await change((value) => planFirstAdmin(value, wish))) !== null;
    },
    revoke: (id) => change((value) => planRevoke(value, id)),
    list: () => state.readTogether(PEOPLE_FILES),
    assertSecret: async () => {
      const kept = (await state.read(PEOPLE_FILES.tokens)).secretCheck;
      if (kept === null || kept === secretCheck) return;
      const problems = ["the secret is not the one that this team's tokens were made with"];
      const message = "Could not use the secret: tokens and invites were made with another";
      throw new TeamMemoryError("config_invalid", message, { details: { problems } });
    },
  };
}

function withSecretCheck(value: PeopleState, secretCheck: string): PeopleState {
  return value.tokens.secretCheck === secretCheck ? value : { ...value, tokens: { ...value.tokens, secretCheck } };
}

function newInvite(
  wish: Omit<InviteWish, "personId">,
  secret: string,
  now: Date,
): { record: InviteRecord; code: string } {
  const code = newInviteCode();
  const record = {
    ...wish,
    id: ulid(now.getTime()),
    hash: hashCredential(secret, "invite", code),
    createdAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + LIMITS.inviteLifetimeMs).toISOString(),
  };
  return { record, code };
}

function firstAdmin(now: Date): Pick<TokenWish, "person" | "grant"> {
  const person = {
    id: ulid(now.getTime()),
    name: "Admin",
    email: "admin@team-memory.invalid",
    createdAt: now.toISOString(),
  };
  return { person: { new: person }, grant: { role: "admin", projects: ["*"] } };
}
