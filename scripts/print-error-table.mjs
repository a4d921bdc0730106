/**
 * Prints README's table of every way to say no, from shared/errors/codes.ts. With --write it puts the table into README
 * between its marks.
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const BEGIN = "<!-- errors:begin -->";
const END = "<!-- errors:end -->";
const root = fileURLToPath(new URL("..", import.meta.url));

const table = toTable(await readErrorCodes());
if (process.argv.includes("--write")) await writeIntoReadme(table);
else process.stdout.write(table);

/** The floor of Node runs no TypeScript, so the rows come through the bundler. */
async function readErrorCodes() {
  const options = { entryPoints: [`${root}shared/errors/codes.ts`], bundle: true, format: "esm", write: false };
  const { outputFiles } = await build(options);
  const { ERROR_CODES } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  return ERROR_CODES;
}

function toTable(codes) {
  const rows = Object.entries(codes).map(
    ([code, { status, exit, remedy }]) => `| \`${code}\` | ${status} | ${exit} | ${remedy.replaceAll("|", "\\|")} |`,
  );
  return ["| code | status | exit | remedy |", "| --- | --- | --- | --- |", ...rows, ""].join("\n");
}

async function writeIntoReadme(text) {
  const path = `${root}README.md`;
  const readme = await readFile(path, "utf8");
  const [before, after] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (before < 0 || after < before) throw new Error(`README.md lacks ${BEGIN} or ${END}`);
  await writeFile(path, `${readme.slice(0, before)}${BEGIN}\n${text}${readme.slice(after)}`);
}
