/**
 * An npm package tarball of one flat folder. Written here because the bytes must depend on the contents alone: the same
 * sources give the same client.tgz on every machine, and its hash can be compared.
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

const BLOCK = 512;
/** 1985-10-26, the date npm itself stamps on files: zero upsets some unpackers. */
const MTIME_SECONDS = 499_162_500;

/**
 * @param {string} folder with a final slash; plain files only
 * @param {string} target path of the .tgz
 */
export async function packTarball(folder, target) {
  const names = (await readdir(folder)).sort();
  const entries = await Promise.all(names.map(async (name) => toEntry(name, await readFile(`${folder}${name}`))));
  await writeFile(target, gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]), { level: 9 }));
}

function toEntry(name, bytes) {
  const padding = Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK);
  return Buffer.concat([toHeader(name, bytes.length), bytes, padding]);
}

/** A ustar header; npm looks for the package below the folder `package/`. */
function toHeader(name, size) {
  const header = Buffer.alloc(BLOCK);
  header.write(`package/${name}`, 0, 100);
  header.write(octal(name.endsWith(".cjs") ? 0o755 : 0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(MTIME_SECONDS, 12), 136);
  header.write(" ".repeat(8), 148);
  header.write("0", 156);
  header.write("ustar\u000000", 257);
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${checksum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

function octal(value, width) {
  return `${value.toString(8).padStart(width - 1, "0")}\0`;
}
