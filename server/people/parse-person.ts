import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";

/** Who authors the commits: whatever could end or forge an author line of git is refused. */
const FORGING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}<>]/u;

/** @throws TeamMemoryError bad_request with `details.field` */
export function parsePersonName(text: string): string {
  const name = text.trim().normalize("NFC");
  if (name.length <= 200 && /[\p{L}\p{N}]/u.test(name) && !FORGING.test(name)) return name;
  throw new TeamMemoryError("bad_request", "Could not use the name: letters on one line, without < and >", {
    details: { field: "name" },
  });
}

/** @throws TeamMemoryError bad_request with `details.field` */
export function parseEmail(text: string): string {
  const email = text.trim();
  if (email.length <= 320 && /^[^\s@]+@[^\s@]+$/.test(email) && !FORGING.test(email)) return email;
  throw new TeamMemoryError("bad_request", "Could not use the email address: one of the form name@host", {
    details: { field: "email" },
  });
}
