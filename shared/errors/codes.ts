/**
 * Every way in which team-memory says no: one row a code, with the HTTP status that the service answers, the exit code
 * of a command, whether the same call may succeed later, and what the person does about it. README's table is
 * checked against this one.
 */
export interface ErrorRow {
  readonly status: number;
  readonly exit: number;
  readonly retryable: boolean;
  readonly remedy: string;
}

/** Exit codes of both commands; a code below stands for a kind of failure, not for one failure. */
export const EXIT = {
  ok: 0,
  internal: 1,
  usage: 2,
  notSetUp: 3,
  denied: 4,
  attention: 5,
  unavailable: 6,
  refused: 7,
  disk: 8,
} as const;

export const ERROR_CODES = {
  // What the caller sent
  usage: { status: 400, exit: EXIT.usage, retryable: false, remedy: "Run the command with --help" },
  bad_request: { status: 400, exit: EXIT.usage, retryable: false, remedy: "Correct the named field" },
  unsupported_media_type: { status: 415, exit: EXIT.usage, retryable: false, remedy: "Send application/json in UTF-8" },
  method_not_allowed: {
    status: 405,
    exit: EXIT.usage,
    retryable: false,
    remedy: "Use a method that /openapi.json lists",
  },
  too_large: {
    status: 413,
    exit: EXIT.usage,
    retryable: false,
    remedy: "Make it smaller or split it; the bound is in the message",
  },
  not_found: {
    status: 404,
    exit: EXIT.usage,
    retryable: false,
    remedy: "Check the name; a project that your token may not see answers the same",
  },
  upgrade_required: {
    status: 426,
    exit: EXIT.usage,
    retryable: false,
    remedy: "Run the join line again: it installs the client that the service serves",
  },

  // Keys and memories
  path_traversal: {
    status: 422,
    exit: EXIT.refused,
    retryable: false,
    remedy: "Rename the memory; the message names the rule that its key breaks",
  },
  key_collision: {
    status: 422,
    exit: EXIT.attention,
    retryable: false,
    remedy: "Rename one of the two: their names are equal on some disks",
  },
  invalid_memory: {
    status: 422,
    exit: EXIT.attention,
    retryable: false,
    remedy: "Correct the named field or line of the file",
  },
  private_memory: {
    status: 422,
    exit: EXIT.attention,
    retryable: false,
    remedy: "Memories of type user stay private: move the file out of team/",
  },
  secret_found: {
    status: 422,
    exit: EXIT.attention,
    retryable: false,
    remedy: "Take the secret out and write where it is kept instead; revoke it if it was shared before",
  },
  unprocessable_proposal: {
    status: 422,
    exit: EXIT.attention,
    retryable: false,
    remedy: "Correct the listed keys; the others can be proposed without them",
  },
  stale_text: {
    status: 422,
    exit: EXIT.attention,
    retryable: false,
    remedy: "The team removed this text; restore it on purpose with team-memory restore KEY",
  },
  too_many_memories: {
    status: 422,
    exit: EXIT.attention,
    retryable: false,
    remedy: "Remove memories that no longer help",
  },

  // Who asks
  unauthorized: {
    status: 401,
    exit: EXIT.denied,
    retryable: false,
    remedy:
      "Run team-memory join LINK with a fresh link, which an admin makes for you: team-memory-server invite --person ID",
  },
  signature_invalid: {
    status: 401,
    exit: EXIT.denied,
    retryable: false,
    remedy: "Give the webhook a secret that is a line of --webhook-secret-file",
  },
  forbidden: { status: 403, exit: EXIT.denied, retryable: false, remedy: "Ask an admin for the role" },
  invite_invalid: {
    status: 403,
    exit: EXIT.denied,
    retryable: false,
    remedy: "Ask for a fresh invite: each works once, for a week",
  },
  invite_elsewhere: {
    status: 403,
    exit: EXIT.denied,
    retryable: false,
    remedy: "Join in a clone of a project that the invite is for; it was not used up",
  },
  identity_taken: {
    status: 409,
    exit: EXIT.denied,
    retryable: false,
    remedy:
      "If it is you, ask an admin for a link of team-memory-server invite --person ID, with your id from people list, which keeps you one person; else say who you are with --name and --email. The invite was not used up",
  },
  rate_limited: { status: 429, exit: EXIT.unavailable, retryable: true, remedy: "Wait for the seconds in Retry-After" },

  // Proposals
  conflict: {
    status: 409,
    exit: EXIT.attention,
    retryable: false,
    remedy: "Pull, look at both texts, and propose again",
  },
  sequence_conflict: {
    status: 409,
    exit: EXIT.attention,
    retryable: false,
    remedy: "Another run sent a newer set; run team-memory sync again",
  },
  proposal_outdated: {
    status: 409,
    exit: EXIT.attention,
    retryable: false,
    remedy: "Ask its author to run team-memory sync and decide what team-memory conflicts lists; then review it again",
  },
  proposal_changed: {
    status: 409,
    exit: EXIT.attention,
    retryable: false,
    remedy: "Look at it as it is now with team-memory review show ID, then decide",
  },
  proposal_finished: {
    status: 409,
    exit: EXIT.attention,
    retryable: false,
    remedy: "Start a new proposal: this one is merged or closed",
  },
  too_many_proposals: {
    status: 429,
    exit: EXIT.unavailable,
    retryable: true,
    remedy: "Have some of the open proposals reviewed first",
  },
  lost_race: {
    status: 503,
    exit: EXIT.unavailable,
    retryable: true,
    remedy: "Try again: others were writing to the base at once",
  },

  // The service and its remote
  unavailable: { status: 503, exit: EXIT.unavailable, retryable: true, remedy: "Try again later; your texts are kept" },
  behind: {
    status: 503,
    exit: EXIT.unavailable,
    retryable: true,
    remedy:
      "Try again: the service has not yet seen the revision that you hold; if it was restored from an older backup, run team-memory join --fresh",
  },
  remote_unreachable: {
    status: 503,
    exit: EXIT.unavailable,
    retryable: true,
    remedy: "Try again later; whoever runs the service looks at the git remote and the network to it",
  },
  remote_denied: {
    status: 502,
    exit: EXIT.unavailable,
    retryable: false,
    remedy: "Give the service a token, a key or, on its own disk, the rights to read the git remote and push to it",
  },
  remote_host_key: {
    status: 502,
    exit: EXIT.unavailable,
    retryable: false,
    remedy:
      "Compare what ssh-keyscan prints of the host with what its operator publishes, then put it into the file of --remote-known-hosts",
  },
  remote_refused: {
    status: 422,
    exit: EXIT.attention,
    retryable: false,
    remedy: "Read the remote's words in the message; a hook, a protection rule or a bound there said no",
  },
  base_held: {
    status: 503,
    exit: EXIT.unavailable,
    retryable: true,
    remedy:
      "A reviewer looks with team-memory-server base show, then accepts it with base accept REVISION or puts the remote back",
  },
  disk_full: { status: 507, exit: EXIT.disk, retryable: true, remedy: "Free disk space, then run the command again" },
  data_folder_busy: {
    status: 503,
    exit: EXIT.unavailable,
    retryable: true,
    remedy: "Stop the other process that holds the data folder, or name another with --data",
  },
  target_exists: {
    status: 409,
    exit: EXIT.usage,
    retryable: false,
    remedy: "Name a place where nothing is yet; backup --force replaces a file",
  },
  address_in_use: {
    status: 503,
    exit: EXIT.unavailable,
    retryable: true,
    remedy: "Stop the other program that listens there, or name another port with --port",
  },
  repository_damaged: {
    status: 500,
    exit: EXIT.internal,
    retryable: false,
    remedy: "Restore the last backup with team-memory-server restore",
  },
  config_invalid: { status: 500, exit: EXIT.usage, retryable: false, remedy: "Correct the listed settings" },
  git_required: {
    status: 501,
    exit: EXIT.notSetUp,
    retryable: false,
    remedy: "Install git on the machine of the service",
  },
  internal: { status: 500, exit: EXIT.internal, retryable: false, remedy: "Report it with the request id" },

  // The client on its machine
  not_joined: {
    status: 400,
    exit: EXIT.notSetUp,
    retryable: false,
    remedy: "Join with the line that your invite came with: npx -y SERVICE/client.tgz join LINK",
  },
  not_here: {
    status: 404,
    exit: EXIT.usage,
    retryable: false,
    remedy: "Check the name: team-memory status lists what is here",
  },
  memory_off: {
    status: 400,
    exit: EXIT.notSetUp,
    retryable: false,
    remedy: "Switch auto memory on in the host's settings",
  },
  no_project: {
    status: 400,
    exit: EXIT.notSetUp,
    retryable: false,
    remedy:
      "Run it in a clone of the project; where there is no origin, name the project once: team-memory join --project NAME; before the first join, --project NAME behind your invite's line",
  },
  ambiguous_project: {
    status: 400,
    exit: EXIT.notSetUp,
    retryable: false,
    remedy: "Say which one with team-memory join --project NAME",
  },
  state_moved: {
    status: 400,
    exit: EXIT.notSetUp,
    retryable: false,
    remedy: "Run team-memory join --move to keep the local copies, or --fresh to pull anew",
  },
  steered_environment: {
    status: 400,
    exit: EXIT.refused,
    retryable: false,
    remedy: "Remove the variable from the project's .claude settings; a repository must not steer team-memory",
  },
  insecure_url: {
    status: 400,
    exit: EXIT.refused,
    retryable: false,
    remedy: "Use https, or --insecure on a network that you trust",
  },
  settings_invalid: {
    status: 400,
    exit: EXIT.disk,
    retryable: false,
    remedy: "Correct the named settings file; nothing was changed",
  },
  bad_response: {
    status: 502,
    exit: EXIT.unavailable,
    retryable: true,
    remedy: "Check that the address is a team-memory service; what is here stays as it is",
  },
  timeout: {
    status: 504,
    exit: EXIT.unavailable,
    retryable: true,
    remedy: "Try again; what is here stays as it is",
  },
  unreachable: {
    status: 502,
    exit: EXIT.unavailable,
    retryable: true,
    remedy: "Check that the service runs, its address and the network; what is here stays as it is",
  },
  busy: { status: 503, exit: EXIT.unavailable, retryable: true, remedy: "Wait for the other team-memory run to end" },
  disk: {
    status: 500,
    exit: EXIT.disk,
    retryable: true,
    remedy: "Make the named path readable and writable, then run the command again",
  },
  state_damaged: {
    status: 500,
    exit: EXIT.disk,
    retryable: true,
    remedy: "Run team-memory pull: it rebuilds the copy; texts in the attic are kept",
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERROR_CODES;

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === "string" && Object.hasOwn(ERROR_CODES, value);
}
