/** Set by the build; a run from source has none. */
declare const __VERSION__: string | undefined;

export const CLIENT_VERSION: string = typeof __VERSION__ === "string" ? __VERSION__ : "0.0.0-dev";
