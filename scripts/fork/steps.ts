/** The build of a source tree by its own commands, up to an installed package. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findNpmCli, runNpm } from "../../src/patching/find/node.ts";
import { applyToCheckout, revertCheckout, verifyCheckout } from "../../src/patching/checkout/apply.ts";
import { EARLY_OVERRIDES } from "../../src/patching/base/releases.ts";
import { runStep } from "../sources/step.ts";
import { gitIn, type Tree } from "../sources/tree.ts";

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
  revertCheckout(root);
  // What an earlier build has changed in the sources.
  gitIn(root, "reset", "--quiet", "--hard");
  const points = variant === "patched" ? applied(root) : {};
  await typeCheck(tree, variant, say);
  say(`${variant}: pnpm build`);
  const { output } = await pnpm(tree, variant, "build", ["build"]);
  say(`${variant}: pnpm ui:build`);
  await pnpm(tree, variant, "ui:build", ["ui:build"]);
  say(`${variant}: npm pack, npm install`);
  const tarball = await pack(tree, home, variant);
  return { openclaw: await install(tree, tarball, home, variant), leftOut: leftOutIn(output), points };
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
export function pnpm(
  { root, tools, logs }: Tree,
  variant: string,
  name: string,
  args: readonly string[],
): ReturnType<typeof runStep> {
  const log = join(logs, `${variant}-${name.replaceAll(/\W/g, "-")}.log`);
  return runStep({ name: `${name} (${variant})`, program: tools.pnpm, args, folder: root, env: tools.env, log });
}

async function pack({ root, tools, logs }: Tree, home: string, variant: Variant): Promise<string> {
  const folder = join(home, variant);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Without scripts: prepack is the two builds that have just been run.
  const { output } = await runStep({
    name: `npm pack (${variant})`,
    program: process.execPath,
    args: [findNpmCli(), "pack", "--ignore-scripts", "--pack-destination", folder],
    folder: root,
    env: tools.env,
    log: join(logs, `${variant}-pack.log`),
  });
  const name = /^openclaw-\S+\.tgz$/m.exec(output)?.[0] ?? "";
  return join(folder, name);
}

async function install({ release }: Tree, tarball: string, home: string, variant: Variant): Promise<string> {
  const folder = join(home, variant);
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
