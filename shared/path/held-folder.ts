import { readdirSync, type Stats } from "node:fs";
import { refuse } from "./check-team-path.ts";
import { codeOf, toDiskError } from "./disk-error.ts";
import type { Hold } from "./hold.ts";
import { linkIn } from "./link-in.ts";
import { moveFile, moveOut, removeName, statName } from "./names-on-disk.ts";
import { isOwnName, newOwnName } from "./own-name.ts";
import { type RegularFile, readRegularFile } from "./read-regular-file.ts";
import { writeTemp } from "./write-temp.ts";

/**
 * What may be done in a held folder. Names are single segments; a link at a name is never followed. All of it is
 * synchronous and throws `path_traversal` (a link, a folder or a special file where a file is expected), `disk` or
 * `disk_full`.
 */
export interface HeldFolder extends Disposable {
  /** A new file of this content, 0600, under a random name of our own; returns the name. */
  readonly createTemp: (bytes: Uint8Array) => string;
  /** Gives a temp its real name, and takes its temporary one away; false, and nothing done, where something is there. */
  readonly linkIn: (temp: string, name: string) => boolean;
  /** Renames a file to a name of our own in this folder; returns that name, or null where nothing is there. */
  readonly moveAside: (name: string) => string | null;
  /**
   * Renames a file out of this folder, over whatever is at `path`, an absolute one: who has it open goes on writing into
   * it there. False, and nothing done, where that cannot be: another file system, or nothing at the name.
   */
  readonly moveOut: (name: string, path: string, options: { readonly isDurable: boolean }) => boolean;
  /** Removes the name, of a link the link itself; false where nothing is there. Never a folder. */
  readonly remove: (name: string) => boolean;
  /** The content of a regular file of at most so many bytes, or null where nothing is there. */
  readonly readRegular: (name: string, sizeBytesMax: number) => RegularFile | null;
  /** What lies at the name, links not followed; null where nothing does. */
  readonly stat: (name: string) => Stats | null;
  /** Temps and files moved aside that lie here, of this run or of a killed one. */
  readonly ownNames: () => readonly string[];
  readonly close: () => void;
}

/** For messages: where the folder was when it was opened, and the key for which it was. */
export interface HeldPlace {
  readonly path: string;
  readonly key: string;
}

export function inFolder(hold: Hold, { path, key }: HeldPlace): HeldFolder {
  const attempt = <Result>(what: string, names: readonly string[], act: (at: string) => Result): Result => {
    if (!names.every(isSegment)) refuse(key, "R-SEGMENT");
    try {
      return hold.within(act);
    } catch (error) {
      if (codeOf(error) === "ELOOP") refuse(key, "R-LINK", { code: "ELOOP", cause: error });
      throw toDiskError(error, what, [path, ...names.slice(-1)].join("/"));
    }
  };
  return {
    createTemp: (bytes) => {
      const name = newOwnName("tmp");
      attempt("write", [name], (at) => writeTemp(at + name, bytes));
      return name;
    },
    linkIn: (temp, name) => attempt("place", [temp, name], (at) => linkIn(at + temp, at + name)),
    moveAside: (name) => {
      const aside = newOwnName("old");
      return attempt("move aside", [name], (at) => moveFile(at + name, at + aside, key)) ? aside : null;
    },
    moveOut: (name, to, { isDurable }) =>
      attempt("move out", [name], (at) => moveOut({ from: at + name, to, key, isDurable })),
    remove: (name) => attempt("remove", [name], (at) => removeName(at + name)),
    readRegular: (name, sizeBytesMax) =>
      attempt("read", [name], (at) => readRegularFile(at + name, { key, sizeBytesMax })),
    stat: (name) => attempt("look at", [name], (at) => statName(at + name)),
    ownNames: () => attempt("list", [], (at) => readdirSync(at).filter(isOwnName)),
    close: hold.release,
    [Symbol.dispose]: hold.release,
  };
}

function isSegment(name: string): boolean {
  return !["", ".", ".."].includes(name) && !/[/\\\0]/u.test(name);
}
