/** The settings that stand alone: what each may be, and what it is unless given. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { isTeamMemoryError } from "../shared/errors/team-memory-error.ts";
import { LIMITS } from "../shared/limits.ts";
import { type ProjectPattern, parseProjectPattern } from "../shared/project/match-project.ts";

export const DATA_FOLDER = "./.team-memory";
export const logLevel = z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]);
const wholeNumber = (name: string, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `${name} is a whole number`)
    .transform(Number)
    .refine((value) => value <= max, `${name} is at most ${max}`);
const requestRate = wholeNumber("a rate", 100_000_000).refine((value) => value > 0, "a rate is at least 1");
const addressList = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .refine(
    (parts) => parts.every((part) => /^[0-9a-fA-F.:]+(\/\d{1,3})?$/.test(part)),
    "addresses, separated by commas",
  );
const patternList = z
  .string()
  .transform((text, context) => text.split(",").map((part) => toPattern(part.trim(), context)));
const secretText = z
  .string()
  .transform((text) => text.trim())
  .refine((text) => text.length >= 32, "a secret has at least 32 characters");

/** Several while one takes the place of another: a forge's webhook is changed at another moment than the service. */
const secretLines = z
  .string()
  .transform((text) =>
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  )
  .refine((lines) => lines.length > 0 && lines.length <= LIMITS.webhookSecretsMax, {
    error: `one secret a line, and at most ${LIMITS.webhookSecretsMax}`,
    abort: true,
  })
  .refine((lines) => lines.every((line) => line.length >= 32), "each line is a secret of at least 32 characters");

/** Of the service as a whole; those of its remotes are read together, elsewhere. */
export const settings = z.object({
  data: z.string().default(DATA_FOLDER),
  host: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]+$/, "a host name or an address")
    .default("127.0.0.1"),
  port: wholeNumber("a port", 65_535).default(7357),
  "public-url": z.string().transform(toPublicUrl).exactOptional(),
  "log-level": logLevel.default("info"),
  secret: secretText.exactOptional(),
  "secret-file": z.string().transform(readSecretFile).pipe(secretText).exactOptional(),
  "webhook-secret": secretLines.exactOptional(),
  "webhook-secret-file": z.string().transform(readSecretFile).pipe(secretLines).exactOptional(),
  git: z.string().exactOptional(),
  review: z.enum(["required", "direct"]).default("required"),
  "review-direct": patternList.default([]),
  "trusted-proxies": addressList.default([]),
  "requests-per-minute-per-token": requestRate.default(LIMITS.requestsPerMinutePerToken),
  "requests-per-minute-per-address": requestRate.default(LIMITS.requestsPerMinutePerAddress),
});

/** With what breaks a pattern's rule as the issue. */
export function toPattern(text: string, context: z.RefinementCtx): ProjectPattern {
  try {
    return parseProjectPattern(text);
  } catch (error) {
    if (!isTeamMemoryError(error)) throw error;
    context.addIssue(String(error.details["rule"]));
    return z.NEVER;
  }
}

/** The address is printed into links that teammates paste: it holds no credentials, query or fragment. */
function toPublicUrl(text: string, context: z.RefinementCtx): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const plain = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  if (plain && url.search === "" && url.hash === "") return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  context.addIssue("an http or https address without credentials, query or fragment");
  return z.NEVER;
}

function readSecretFile(path: string, context: z.RefinementCtx): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    context.addIssue(`the file cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`);
    return z.NEVER;
  }
}
