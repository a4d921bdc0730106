/**
 * Bundles the client as two files and one that launches them. The first has what a session's start needs when nothing is
 * new: the command line, the hook and an unchanged pull; node parses all of a file before its first line runs, so the rest
 * must not be in it. What is imported on demand there lies in the second file. Their names carry hashes of their content:
 * each finds the very one that it was built with, whatever has been installed since. Both are functions of the `require`
 * that the launching file hands them.
 */
import { createHash } from "node:crypto";
import { dirname, relative, resolve } from "node:path";
import { build } from "esbuild";

/** @returns {Promise<{ launch: string, parts: Map<string, string>, inputs: string[] }>} the parts by their file names */
export async function buildSplitClient({ launchPoint, entryPoint, prefix, ...options }) {
  const onDemand = await findImportsOnDemand({ ...options, entryPoints: [entryPoint] });
  const later = await bundle({ ...options, stdin: toEntry(options, onDemand) });
  const laterText = `(function(require){var module={exports:{}};${later.text}\nreturn module.exports})`;
  const laterName = toName(`${prefix}later`, laterText);
  const first = await bundle({ ...options, entryPoints: [entryPoint], plugins: [askSecondFile(options, laterName)] });
  const firstText = `(function(require){${first.text}\n})`;
  const firstName = toName(`${prefix}first`, firstText);
  const launch = await buildLaunch({ ...options, launchPoint, firstName, laterName });
  const inputs = [...new Set([...first.inputs, ...later.inputs])];
  return {
    launch,
    parts: new Map([
      [laterName, laterText],
      [firstName, firstText],
    ]),
    inputs,
  };
}

async function buildLaunch({ launchPoint, firstName, laterName, define, ...options }) {
  const names = { __FIRST_FILE__: JSON.stringify(firstName), __LATER_FILE__: JSON.stringify(laterName) };
  const known = { ...define, ...names };
  return (await bundle({ ...options, define: known, entryPoints: [launchPoint] })).text;
}

function toName(prefix, text) {
  return `${prefix}-${createHash("sha256").update(text).digest("hex").slice(0, 16)}.cjs`;
}

async function bundle(options) {
  const { outputFiles, metafile } = await build({ ...options, bundle: true, write: false, metafile: true });
  return {
    text: outputFiles[0].text,
    inputs: Object.keys(metafile.inputs).filter((path) => !path.startsWith("later:")),
  };
}

async function findImportsOnDemand(options) {
  const paths = new Set();
  await bundle({
    ...options,
    plugins: [atImportOnDemand(options, (path) => paths.add(path) && { path, external: true })],
  });
  return [...paths].sort();
}

/** One function a module, so that each is evaluated when it is asked for. */
function toEntry({ absWorkingDir }, paths) {
  const rows = paths.map((path) => `${JSON.stringify(path)}: () => require(${JSON.stringify(`./${path}`)})`);
  return { contents: `module.exports = {\n${rows.join(",\n")}\n};`, resolveDir: absWorkingDir, sourcefile: "later.js" };
}

function askSecondFile(options, laterName) {
  return {
    name: "ask-second-file",
    setup(bundler) {
      atImportOnDemand(options, (path) => ({ path, namespace: "later" })).setup(bundler);
      bundler.onResolve({ filter: /^\.\//, namespace: "later" }, ({ path }) => ({ path, external: true }));
      bundler.onLoad({ filter: /.*/, namespace: "later" }, ({ path }) => ({
        contents: `module.exports = require(${JSON.stringify(`./${laterName}`)})[${JSON.stringify(path)}]();`,
      }));
    },
  };
}

function atImportOnDemand({ absWorkingDir }, answer) {
  return {
    name: "import-on-demand",
    setup(bundler) {
      bundler.onResolve({ filter: /^\./ }, ({ kind, path, importer }) =>
        kind === "dynamic-import" ? answer(relative(absWorkingDir, resolve(dirname(importer), path))) : undefined,
      );
    },
  };
}
