/**
 * With `node --import`: appends the address of every module that the program loads to the file that LOADED_MODULES
 * names. Node runs loader hooks on a thread of their own, which imports this same file.
 */
import { appendFileSync } from "node:fs";
import { register } from "node:module";
import { isMainThread } from "node:worker_threads";

if (isMainThread) register(import.meta.url);

export async function load(url, context, nextLoad) {
  appendFileSync(process.env.LOADED_MODULES, `${url}\n`);
  return await nextLoad(url, context);
}
