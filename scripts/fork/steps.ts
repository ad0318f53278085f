/** The build of a source tree by its own commands, up to an installed package. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findNpmCli, runNpm } from "../../harness/npm.ts";
import { applyToCheckout, verifyCheckout } from "../../src/patching/checkout/apply.ts";
import { MANIFEST } from "../../src/patching/checkout/vendored.ts";
import { sha256 } from "../../src/patching/base/hash.ts";
import { EARLY_OVERRIDES } from "../../src/patching/base/releases.ts";
import { runStep } from "../sources/step.ts";
import { gitIn, resetTree, type Tree } from "../sources/tree.ts";

/** As the sources are, or with the patch applied to them. */
export type Variant = "stock" | "patched";

/** A build that was packed and installed. */
export interface Build {
  /** The folder of OpenClaw in the installation. */
  readonly openclaw: string;
  /** What the build says that it has left out. */
  readonly leftOut: readonly string[];
  /** Copies of each patch point; none for `stock`. */
  readonly points: Readonly<Record<string, number>>;
}

/**
 * Patches the tree (or not), has its own type check and its own build run, packs it as its publisher does, and installs
 * the package into `home`. Throws a StepError that names the step, or a PatchError.
 */
export async function buildVariant(
  tree: Tree,
  home: string,
  variant: Variant,
  say: (line: string) => void,
): Promise<Build> {
  const { root } = tree;
  resetTree(root);
  const points = variant === "patched" ? applied(root) : {};
  const packed = locatePackage(tree, home, variant);
  if (existsSync(packed.stamp) && readFileSync(packed.stamp, "utf8") === packed.identity) {
    say(`${variant}: built and packed by an earlier call`);
  } else {
    await typeCheck(tree, variant, say);
    // Files that only an earlier build had would be packed too.
    rmSync(join(root, "dist"), { recursive: true, force: true });
    say(`${variant}: pnpm build`);
    await pnpm(tree, variant, "build", ["build"]);
    say(`${variant}: pnpm ui:build`);
    await pnpm(tree, variant, "ui:build", ["ui:build"]);
    say(`${variant}: npm pack`);
    await pack(tree, packed.folder, variant);
    writeFileSync(packed.stamp, packed.identity);
  }
  say(`${variant}: npm install`);
  const log = readFileSync(logFile(tree, variant, "build"), "utf8");
  return { openclaw: await install(tree, packed, variant), leftOut: leftOutIn(log), points };
}

interface Packed {
  readonly folder: string;
  readonly tarball: string;
  /** Has `identity` as soon as the tarball is whole. */
  readonly stamp: string;
  readonly identity: string;
}

/** Where the package of a variant is, and what it is made of: the sources, and the guard in them. */
function locatePackage({ root, release }: Tree, home: string, variant: Variant): Packed {
  const folder = join(home, variant);
  const manifest = join(root, MANIFEST);
  const guard = existsSync(manifest) ? sha256(readFileSync(manifest, "utf8")) : "no guard";
  return {
    folder,
    tarball: join(folder, `openclaw-${release}.tgz`),
    stamp: join(folder, "packed"),
    identity: `${gitIn(root, "rev-parse", "HEAD")} ${guard} ${sha256(gitIn(root, "diff"))}`,
  };
}

/** The type check of the tree itself. */
export async function typeCheck(tree: Tree, variant: string, say: (line: string) => void): Promise<void> {
  say(`${variant}: pnpm tsgo`);
  await pnpm(tree, variant, "type check", ["tsgo"]);
}

function applied(root: string): Readonly<Record<string, number>> {
  applyToCheckout(root);
  return verifyCheckout(root).points;
}

/** Runs a script of the tree. */
export function pnpm(tree: Tree, variant: string, name: string, args: readonly string[]): ReturnType<typeof runStep> {
  const { root, tools } = tree;
  const log = logFile(tree, variant, name);
  return runStep({ name: `${name} (${variant})`, program: tools.pnpm, args, folder: root, env: tools.env, log });
}

function logFile({ logs }: Tree, variant: string, name: string): string {
  return join(logs, `${variant}-${name.replaceAll(/\W/g, "-")}.log`);
}

async function pack(tree: Tree, folder: string, variant: Variant): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Without scripts: prepack is the two builds that have just been run.
  await runStep({
    name: `npm pack (${variant})`,
    program: process.execPath,
    args: [findNpmCli(), "pack", "--ignore-scripts", "--pack-destination", folder],
    folder: tree.root,
    env: tree.tools.env,
    log: logFile(tree, variant, "pack"),
  });
}

async function install({ release }: Tree, { folder, tarball }: Packed, variant: Variant): Promise<string> {
  const manifest = {
    name: `openclaw-fork-${variant}`,
    private: true,
    dependencies: { openclaw: `file:${tarball}` },
    overrides: EARLY_OVERRIDES,
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await runNpm(folder, ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
  const openclaw = join(folder, "node_modules", "openclaw");
  const found = existsSync(openclaw)
    ? (JSON.parse(readFileSync(join(openclaw, "package.json"), "utf8")) as { version: string }).version
    : "nothing";
  if (found !== release) throw new Error(`expected OpenClaw ${release} in ${openclaw}; found ${found}.`);
  return openclaw;
}

/** The lines of a build that succeeds without a part: a generated asset that the sources do not have. */
export function leftOutIn(output: string): readonly string[] {
  return [...new Set(output.split("\n").filter((line) => /\bnot found, skipping\b/i.test(line)))].map((line) =>
    line.trim(),
  );
}
