export interface SecretName {
  readonly rule: string;
  /** How much the name alone says: a password is one, a key may be that of a cache. */
  readonly strength: "password" | "strong" | "weak";
  /** It is more than the bare keyword: `cloudflare_global_key`. */
  readonly isQualified: boolean;
  /** `--password`. */
  readonly isOption: boolean;
}

const NAME_LENGTH_MAX = 64;
/** Keywords that end other words too: they must be words of their own. */
const WHOLE_WORD = /^(?:pass|pwd|key|auth|creds?|credentials?)$/i;
const GLUED_KEY = /(?:api|secret|access|auth|private|encryption|signing|master)$/i;
const PASSWORD = /^(?:pass|pwd|contraseña|senha|пароль|密码|密碼|パスワード|비밀번호)/i;
const STRONG_QUALIFIER =
  /^(?:api|apikey|access|secret|private|auth|encryption|signing|master|admin|service|account|app|client|license|shared|hmac|webhook|deploy|root|jwt|session|subscription|consumer|write|ingest|integration|user|bot|server|rest)$/;
/** Keys and tokens that open nothing, or are meant to be seen. */
const BENIGN =
  /^(?:public|publishable|pub|pk|max|min|next|page|pagination|cursor|continuation|cancellation|resume|csrf|xsrf|site|primary|foreign|sort|partition|cache|idempotency|object|map|row|schema|translation|i18n|dedupe|hash|host|fingerprint|design|routing|ordering|lookup|index|item|reconciliation|etag|lock|query|checksum|integrity|commit|hot|short|arrow|tab|shift|escape|enter|data|dict|config|feature|flag)$/;

/** The name that ends in the keyword at `start`, or null where the letters there only look like one. */
export function readSecretName(text: string, start: number, keyword: string): SecretName | null {
  const [name, before] = splitBefore(text, start);
  if (isPartOfWord(name, keyword)) return null;
  const words = toWords(name);
  const asked = words.length > 0 ? words : toWords(before).slice(-1);
  if (asked.some((part) => BENIGN.test(part))) return null;
  return {
    rule: PASSWORD.test(keyword) ? "password" : "named-secret",
    strength: strengthOf(keyword, name, asked),
    isQualified: words.length > 0,
    isOption: name.startsWith("-"),
  };
}

/** What stands in one piece with the keyword, and the words before it: `my_` of `my_key`, `api ` of `api key`. */
function splitBefore(text: string, start: number): readonly [string, string] {
  const line = text.slice(Math.max(0, start - NAME_LENGTH_MAX), start);
  let at = line.length;
  while (at > 0 && /[\w.-]/.test(line.charAt(at - 1))) at--;
  const before = line.slice(0, at);
  return [line.slice(at), /[A-Za-z][ ]$/.test(before) ? before : ""];
}

function isPartOfWord(name: string, keyword: string): boolean {
  if (!WHOLE_WORD.test(keyword) || !/[a-z]$/i.test(name)) return false;
  if (/^key$/i.test(keyword) && GLUED_KEY.test(name)) return false;
  const isCamel = /^[A-Z]/.test(keyword) && /[a-z]$/.test(name);
  return !isCamel;
}

function toWords(name: string): string[] {
  return (name.match(/[A-Z]?[a-z0-9]+|[A-Z0-9]+/g) ?? []).map((part) => part.toLowerCase());
}

function strengthOf(keyword: string, name: string, words: readonly string[]): SecretName["strength"] {
  if (PASSWORD.test(keyword)) return "password";
  if (!/^key$/i.test(keyword)) return "strong";
  return GLUED_KEY.test(name) || words.some((part) => STRONG_QUALIFIER.test(part)) ? "strong" : "weak";
}
