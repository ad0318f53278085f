/** Builds images from the example files, as far as their RUN lines go. */
import { execFileSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newFolder } from "../../harness/temporary.ts";
import { findNpmCli } from "../../harness/npm.ts";
import { parseDockerfile } from "./files.ts";
import { type Image, toImage, makeContainer, runIn } from "./root.ts";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

/** The package as `npm pack` makes it. */
export function packPackage(): string {
  const folder = newFolder();
  const args = [findNpmCli(), "pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  return join(folder, execFileSync(process.execPath, args, { cwd: REPOSITORY, encoding: "utf8" }).trim());
}

/** What was built, and what the lines printed. */
export interface Built {
  readonly image: Image;
  readonly text: string;
}

/**
 * Runs each RUN line of a file as it stands, on an image. `PACKAGE` is the tarball; `args` are more variables of the
 * build. Throws when a line fails.
 */
export async function build(
  base: Image,
  file: string,
  tarball: string,
  args: Readonly<Record<string, string>> = {},
): Promise<Built> {
  const own = parseDockerfile(file).filter(({ name }) => name === "ARG");
  const defaults = Object.fromEntries(own.map(({ rest }) => [rest.split("=")[0], rest.slice(rest.indexOf("=") + 1)]));
  const container = makeContainer(base);
  // As a COPY would: the tarball is a file of the image.
  const prepared = await runIn(container, "mkdir -p /tmp", { user: "root", cwd: "/", env: {}, network: "none" });
  copyFileSync(tarball, join(container.layer, "package.tgz"));
  let text = prepared.text;
  let user: "root" | "node" = "root";
  for (const { name, rest } of parseDockerfile(file)) {
    if (name === "USER") user = rest === "node" ? "node" : "root";
    if (name !== "RUN") continue;
    const env = { HOME: "/root", ...registry(), ...defaults, PACKAGE: "/package.tgz", ...args };
    const done = await runIn(container, rest, { user, cwd: "/", env, network: "machine" });
    if (done.code !== 0) throw new Error(`RUN ${rest} of ${file} ended with ${done.code}:\n${done.text}`);
    text += done.text;
  }
  return { image: toImage(container), text };
}

/** What this machine's npm needs to reach its registry. */
function registry(): Record<string, string> {
  const url = execFileSync(process.execPath, [findNpmCli(), "config", "get", "registry"], { encoding: "utf8" });
  const certificates = process.env["NODE_EXTRA_CA_CERTS"];
  return {
    npm_config_registry: url.trim(),
    ...(certificates !== undefined && { NODE_EXTRA_CA_CERTS: certificates }),
  };
}

/** A list of words as a line of a shell. */
export function shell(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
}
