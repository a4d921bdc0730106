/** A real sshd on loopback, as the user who runs the tests: its own host key, one deploy key, nothing of this machine's. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { mustRun } from "./run.ts";
import { type OnEnd, scratchFolder } from "./teardown.ts";

const SSHD = ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd"].find((path) => existsSync(path));

/** Null: what is missing on this machine. */
export const missingForSsh = SSHD === undefined ? "no sshd on this machine" : null;

export interface SshHost {
  /** `ssh://user@127.0.0.1:port`, to which a path is added. */
  readonly address: string;
  readonly keyPath: string;
  readonly knownHostsPath: string;
  /** A new pair of keys; the private one's path. */
  makeKey(name: string): Promise<string>;
  /** The line by which a host with the public half of `keyPath` is known. */
  toKnownHost(keyPath: string): Promise<string>;
}

export async function startSshHost(onEnd: OnEnd): Promise<SshHost> {
  const folder = await scratchFolder(onEnd);
  const port = await findFreePort();
  const makeKey = async (name: string) => {
    const path = join(folder, name);
    await mustRun("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path], { cwd: folder, env: ENV });
    return path;
  };
  const toKnownHost = async (path: string) => `[127.0.0.1]:${port} ${await readFile(`${path}.pub`, "utf8")}`;
  const [hostKey, keyPath] = [await makeKey("host"), await makeKey("deploy")];
  const knownHostsPath = join(folder, "known_hosts");
  await writeFile(knownHostsPath, await toKnownHost(hostKey));
  const config = join(folder, "sshd_config");
  await writeFile(config, toConfig({ folder, port, hostKey, keyPath }));
  await listen(config, port, onEnd);
  return { address: `ssh://${userInfo().username}@127.0.0.1:${port}`, keyPath, knownHostsPath, makeKey, toKnownHost };
}

const ENV = { PATH: process.env["PATH"] ?? "", LC_ALL: "C" };

interface Sshd {
  readonly folder: string;
  readonly port: number;
  readonly hostKey: string;
  readonly keyPath: string;
}

function toConfig({ folder, port, hostKey, keyPath }: Sshd): string {
  return [
    "ListenAddress 127.0.0.1",
    `Port ${port}`,
    `HostKey ${hostKey}`,
    `AuthorizedKeysFile ${keyPath}.pub`,
    `PidFile ${join(folder, "sshd.pid")}`,
    "AuthenticationMethods publickey",
    "PermitRootLogin prohibit-password",
    "AcceptEnv GIT_PROTOCOL",
    // A shell that ssh starts reads what its user has set up for it.
    `SetEnv HOME=${folder}`,
    "UsePAM no",
    "StrictModes no",
    "",
  ].join("\n");
}

async function listen(config: string, port: number, onEnd: OnEnd): Promise<void> {
  // Of root it wants an empty folder of its own; others need none.
  if (userInfo().uid === 0) await mkdir("/run/sshd", { recursive: true, mode: 0o755 });
  const child = spawn(SSHD ?? "", ["-D", "-e", "-f", config], { stdio: ["ignore", "ignore", "pipe"] });
  onEnd(async () => {
    child.kill("SIGTERM");
  });
  let said = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk) => {
      said += chunk;
      if (said.includes(`port ${port}`)) resolve();
    });
    child.once("error", reject).once("close", () => reject(new Error(`sshd has ended: ${said}`)));
  });
}

async function findFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
