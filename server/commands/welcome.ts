import { join } from "node:path";
import { ADMIN_TOKEN_FILE } from "../people/first-admin.ts";
import { toJoinLine, toJoinLink } from "../public-url.ts";

export interface Welcome {
  readonly version: string;
  readonly publicUrl: string;
  readonly dataFolder: string;
  /** Until when its code lets somebody in: an ISO date. Null: none can be made now. */
  readonly invite: { readonly code: string; readonly expiresAt: string } | null;
  /** False: the repository is not served at /git. */
  readonly servesGit: boolean;
  /** It follows a shared remote, which people clone. */
  readonly isMirror: boolean;
  readonly program: string;
}

/** What a start prints: for programs, and for the person who has just typed the command. */
export function toWelcome(welcome: Welcome): { readonly data: unknown; readonly lines: readonly string[] } {
  const { version, publicUrl, dataFolder, invite, servesGit, isMirror } = welcome;
  const review = servesGit ? `${publicUrl}/git/memory.git` : null;
  const adminToken = join(dataFolder, ADMIN_TOKEN_FILE);
  const invitation = invite === null ? null : toInvitation(publicUrl, invite);
  return {
    data: { version, url: publicUrl, dataFolder, join: invitation, review, adminTokenFile: adminToken },
    // What is to be pasted stands last: nothing scrolls it away.
    lines: [
      "",
      `team-memory ${version} is at ${publicUrl}, its data in ${dataFolder}`,
      "",
      ...toReviewLines(review, isMirror, adminToken),
      "",
      "More people:",
      `  ${welcome.program} invite --data ${dataFolder}`,
      "",
      ...toJoinLines(invitation),
      "",
    ],
  };
}

interface Invitation {
  readonly link: string;
  readonly command: string;
  readonly expiresAt: string;
}

function toInvitation(publicUrl: string, { code, expiresAt }: NonNullable<Welcome["invite"]>): Invitation {
  return { link: toJoinLink(publicUrl, code), command: toJoinLine(publicUrl, code), expiresAt };
}

function toJoinLines(invitation: Invitation | null): readonly string[] {
  if (invitation === null) return ["The remote that people are kept on is down: nobody new can join until it is back"];
  const { command, expiresAt } = invitation;
  return [`Join (in your clone of the project; works once, until ${expiresAt.slice(0, 10)}):`, "", `  ${command}`];
}

function toReviewLines(review: string | null, isMirror: boolean, adminToken: string): readonly string[] {
  if (isMirror) return ["Review with `team-memory review`, or in a clone of the team's git remote"];
  if (review === null) return ["Review with `team-memory review`: this machine has no git, so /git is not served"];
  return [
    `Review (any user name, a token as the password; the admin's is in ${adminToken}):`,
    `  git clone ${review}`,
    "  git merge origin/team-memory/<id> && git push   # yes; `git push origin --delete team-memory/<id>` is no",
  ];
}
