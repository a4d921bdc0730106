/** What the demo shows and what it has checked: a claim that does not hold ends the story there. */
export interface Transcript {
  /** A new scene of the story. */
  scene(title: string): void;
  /** A command that somebody ran, and what it printed. */
  ran(who: string, command: string, printed: string): void;
  /** A fact of the story that was just verified; throws where it does not hold. */
  check(claim: string, holds: boolean): void;
  readonly checked: number;
}

const LINES_SHOWN_MAX = 30;

export function openTranscript(print: (line: string) => void): Transcript {
  let scenes = 0;
  let checked = 0;
  return {
    scene: (title) => {
      scenes += 1;
      print(`\n${scenes}. ${title}`);
    },
    ran: (who, command, printed) => {
      print(`\n   ${who}$ ${command}`);
      for (const line of shorten(printed)) print(`   │ ${line}`);
    },
    check: (claim, holds) => {
      if (!holds) throw new Error(`it does not hold that ${claim}`);
      checked += 1;
      print(`   ✓ ${claim}`);
    },
    get checked() {
      return checked;
    },
  };
}

function shorten(printed: string): string[] {
  const lines = printed.trimEnd() === "" ? [] : printed.trimEnd().split("\n");
  if (lines.length <= LINES_SHOWN_MAX) return lines;
  return [...lines.slice(0, LINES_SHOWN_MAX), `… ${lines.length - LINES_SHOWN_MAX} more lines`];
}
