/** How each forge's deliveries look: which headers prove who sent them, and which say what they are. */
import type { IncomingHttpHeaders } from "node:http";
import { LIMITS } from "../../../shared/limits.ts";
import type { WebhookForge } from "../../../shared/protocol/schemas.ts";
import { hmacHeader, type Proof, standardSignature, tokenHeader } from "./proofs.ts";

interface DeliveryForm {
  /** In the order in which they are looked for. */
  readonly proofs: readonly Proof[];
  /** Headers whose value is one delivery's alone, and the same when it is sent again; the first that is there counts. */
  readonly ids: readonly string[];
  /** Says what happened, and which of its values mean that a branch may stand elsewhere now. */
  readonly event: { readonly header: string; readonly moves: RegExp } | null;
}

const HUB = hmacHeader("x-hub-signature-256", "sha256=");
const MOVES = /^(?:push|create|delete|pull_request\w*)$/;

const FORMS: Readonly<Record<WebhookForge, DeliveryForm>> = {
  github: {
    proofs: [HUB],
    ids: ["x-github-delivery"],
    event: { header: "x-github-event", moves: MOVES },
  },
  gitea: {
    proofs: [hmacHeader("x-forgejo-signature", ""), hmacHeader("x-gitea-signature", ""), HUB],
    ids: ["x-forgejo-delivery", "x-gitea-delivery", "x-github-delivery"],
    event: { header: "x-gitea-event", moves: MOVES },
  },
  gitlab: {
    proofs: [standardSignature, tokenHeader("x-gitlab-token")],
    // X-Gitlab-Webhook-UUID is no delivery's: it is the same in all of one webhook.
    ids: ["webhook-id", "idempotency-key"],
    event: { header: "x-gitlab-event", moves: /^(?:Push|Merge Request|System) Hook$/ },
  },
  git: {
    proofs: [HUB, tokenHeader("x-team-memory-token")],
    ids: ["x-team-memory-delivery"],
    event: null,
  },
};

/** The one proof that counts; null: none is there. A second kind never makes up for a first one that is wrong. */
export function findProof(forge: WebhookForge, headers: IncomingHttpHeaders): Proof | null {
  return FORMS[forge].proofs.find(({ header }) => headers[header] !== undefined) ?? null;
}

/** Null: it has none that can be remembered. */
export function deliveryIdOf(forge: WebhookForge, headers: IncomingHttpHeaders): string | null {
  const name = FORMS[forge].ids.find((header) => headers[header] !== undefined);
  const id = name === undefined ? "" : String(headers[name]);
  return id === "" || id.length > LIMITS.webhookDeliveryIdLengthMax ? null : `${forge} ${id}`;
}

/** False for a ping, a star and whatever else leaves every branch where it is. */
export function mayMoveBranches(forge: WebhookForge, headers: IncomingHttpHeaders): boolean {
  const { event } = FORMS[forge];
  const said = event === null ? undefined : headers[event.header];
  return said === undefined || event === null || event.moves.test(String(said));
}
