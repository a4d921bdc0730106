import { readdir, readFile } from "node:fs/promises";

/**
 * The licence texts of every package that a bundle contains, as those licences ask of whoever passes copies on.
 *
 * @param {string} root the repository's root, with a final slash
 * @param {readonly string[]} inputs files of the bundle, relative to the root
 */
export async function collectLicences(root, inputs) {
  const texts = await Promise.all(packageFolders(inputs).map((folder) => readLicence(`${root}${folder}`)));
  return texts.join(`\n${"-".repeat(78)}\n\n`);
}

function packageFolders(inputs) {
  const folders = inputs.map((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

async function readLicence(folder) {
  const { name, version, license } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? "" : await readFile(`${folder}/${file}`, "utf8");
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}
