/**
 * The tarballs of OpenClaw as npm has them: kept in `.cache/tarballs`, downloaded when they are not there, and never
 * handed out unless their bytes are the published ones.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { extract } from "tar";
import { patchError } from "../src/patching/base/errors.ts";
import { findNpmCli, runNpm } from "./npm.ts";

/** A published tarball on this disk whose bytes have been checked. */
export interface Tarball {
  readonly path: string;
  /** npm's integrity (`sha512-…`) of the bytes. */
  readonly integrity: string;
  /**
   * Who says so: the repository, or, for a release it does not know, the registry that the tarball comes from as well.
   */
  readonly source: "repository" | "registry";
}

/** Options of ensureTarball. */
export interface TarballOptions {
  /** The folder that keeps the tarballs. */
  readonly folder?: string;
  /** The repository, whose `releases/releases.json` names the integrity of each release. */
  readonly repository?: string;
  /** Takes progress lines. */
  readonly say?: (line: string) => void;
}

const REPOSITORY = fileURLToPath(new URL("..", import.meta.url));

/**
 * The tarball of a release, downloaded unless it lies in the folder with the right bytes. Several processes may ask for
 * the same one at once. Throws `install-failed` when it cannot be had, or is not what was published.
 */
export async function ensureTarball(release: string, options: TarballOptions = {}): Promise<Tarball> {
  const { repository = REPOSITORY, say = () => undefined } = options;
  const { folder = join(repository, ".cache", "tarballs") } = options;
  const pinned = listedIntegrity(release, join(repository, "releases", "releases.json"));
  const integrity = pinned ?? (await publishedIntegrity(release, repository));
  if (pinned === undefined)
    say(`the repository does not know OpenClaw ${release}: its integrity is taken from the registry`);
  const tarball: Tarball = {
    path: join(folder, tarballName(release)),
    integrity,
    source: pinned === undefined ? "registry" : "repository",
  };
  if (existsSync(tarball.path)) {
    if ((await computeIntegrity(tarball.path)) === integrity) return tarball;
    say(`${tarballName(release)} is not what was published (half a download?)`);
  }
  say(`downloading openclaw@${release}`);
  await download(release, folder, integrity);
  return tarball;
}

/**
 * Unpacks a package's tarball, or the files of it that are wanted, so that its package.json lies in `folder`, which
 * must be empty or missing. `wants` gets paths as they are in the tarball. Throws `install-failed`.
 */
export async function extractTarball(
  path: string,
  folder: string,
  wants: (file: string) => boolean = () => true,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  try {
    await extract({ file: path, cwd: folder, strip: 1, strict: true, preserveOwner: false, filter: wants });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw patchError("install-failed", {
      expected: `${path} to unpack into ${folder}`,
      found: error instanceof Error ? error.message : String(error),
      todo: "Check the disk; delete the tarball if it is damaged, then run it again.",
      cause: error,
    });
  }
}

/** npm's name for the sha512 of a file. */
export async function computeIntegrity(path: string): Promise<string> {
  const hash = createHash("sha512");
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return `sha512-${hash.digest("base64")}`;
}

/** Never straight into the folder: another process may read there, and a download can stop half-way. */
async function download(release: string, folder: string, integrity: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const stage = mkdtempSync(join(folder, ".download-"));
  try {
    await runNpm(stage, ["pack", `openclaw@${release}`, "--ignore-scripts", "--loglevel=error"]);
    const found = await computeIntegrity(join(stage, tarballName(release)));
    if (found !== integrity) {
      throw patchError("install-failed", {
        expected: `openclaw@${release} to be the published tarball (${integrity})`,
        found: `other bytes (${found})`,
        todo: "The registry hands out something else than what was published: do not use it, and ask its owner.",
      });
    }
    renameSync(join(stage, tarballName(release)), join(folder, tarballName(release)));
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

function tarballName(release: string): string {
  return `openclaw-${release}.tgz`;
}

function listedIntegrity(release: string, list: string): string | undefined {
  if (!existsSync(list)) return undefined;
  const { releases } = JSON.parse(readFileSync(list, "utf8")) as {
    readonly releases: Readonly<Record<string, { readonly integrity: string }>>;
  };
  return releases[release]?.integrity;
}

async function publishedIntegrity(release: string, folder: string): Promise<string> {
  const args = ["view", `openclaw@${release}`, "dist.integrity", "--loglevel=error"];
  const answer = await promisify(execFile)(process.execPath, [findNpmCli(), ...args], { cwd: folder }).then(
    ({ stdout }) => stdout.trim(),
    readComplaint,
  );
  if (/^sha512-[A-Za-z0-9+/=]+$/.test(answer)) return answer;
  throw patchError("install-failed", {
    expected: `the registry to know openclaw@${release} (npm ${args.join(" ")})`,
    found: answer === "" || answer.includes("E404") ? "no such release" : answer,
    todo: "Check the release and the network, then run it again.",
  });
}

function readComplaint(error: unknown): string {
  return error instanceof Error && "stderr" in error ? `\n${String(error.stderr).trim()}\n` : String(error);
}
