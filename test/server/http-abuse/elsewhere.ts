/** Cases of the corpus that no test here plays: each with the reason, so that a new case cannot be passed over. */
const NO_COOKIES_NO_PAGES = "the service has no pages; memories travel as JSON with nosniff";
const BASE_BLOBS = "a change carries the blob that it started from: played with the proposals of the engine";
const NO_REMOTES = "the only remote is the embedded repository: nobody can name another";

export const ELSEWHERE: Readonly<Record<string, string>> = {
  "auth: JWT alg none / key confusion (only if JWT used)": "tokens are random, looked up by a keyed hash",
  "ui: raw view": NO_COOKIES_NO_PAGES,
  "ui: stored XSS in key or author name": NO_COOKIES_NO_PAGES,
  "ui: remote image beacon in Markdown": NO_COOKIES_NO_PAGES,
  "etag: PUT without If-Match / If-None-Match": BASE_BLOBS,
  "etag: stale If-Match": BASE_BLOBS,
  "etag: If-Match: * on a missing key": BASE_BLOBS,
  "replay: old push again": BASE_BLOBS,
  "replay: two pushes, same base": BASE_BLOBS,
  "rate: parallel expensive calls":
    "an answer is made once for all who ask; waiters and git's children have bounds of their own",
  "rate: limit state growth": "played with the rate window itself",
};

/** Whole areas. */
export const AREAS_ELSEWHERE: Readonly<Record<string, string>> = { "git-url": NO_REMOTES };
