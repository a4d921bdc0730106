import { CST, Lexer } from "yaml";
import { LIMITS } from "../limits.ts";

/**
 * What must not reach the YAML parser, however few bytes it has. Explicit keys (`? a`) in a row take it cubic time;
 * deep nesting overflows its stack, and where that happens while a regular expression is being compiled it ends the
 * process, which no catch prevents; thousands of errors take a second to collect. The lexer that looks for these has
 * one flat loop.
 */
export function isIntricateYaml(source: string): boolean {
  let tokens = 0;
  let brackets = 0;
  let indicators = 0;
  for (const lexeme of new Lexer().lex(source)) {
    const type = CST.tokenType(lexeme);
    tokens += 1;
    brackets = Math.max(0, brackets + bracketStep(type));
    indicators = type === "newline" ? 0 : indicators + Number(isIndicator(type, brackets));
    if (type === "explicit-key-ind" || tokens > LIMITS.frontmatterTokensMax) return true;
    if (brackets > LIMITS.frontmatterBracketsMax || indicators > LIMITS.frontmatterIndicatorsMax) return true;
  }
  return false;
}

type TokenType = ReturnType<typeof CST.tokenType>;

function bracketStep(type: TokenType): number {
  if (type === "flow-map-start" || type === "flow-seq-start") return 1;
  return type === "flow-map-end" || type === "flow-seq-end" ? -1 : 0;
}

/** Each one opens a level; between brackets colons do not. */
function isIndicator(type: TokenType, brackets: number): boolean {
  return type === "seq-item-ind" || (type === "map-value-ind" && brackets === 0);
}
