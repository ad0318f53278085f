/** Which of OpenClaw's own test files are run, and by which of its configurations. */
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";

/** The suites around agents, sessions, transcripts, compaction and the gateway's chat; `--only` names others. */
export const SUITES = [
  "src/agents/**",
  "src/sessions/**",
  "src/config/sessions/**",
  "src/gateway/**/*chat*",
  "src/gateway/**/*session*",
  "src/auto-reply/**/*session*",
  "src/auto-reply/**/*compact*",
] as const;

/** Live tests need keys, and end-to-end tests their own configuration, which `pnpm test` does not run either. */
const NOT_RUN = /\.(?:live|e2e)\.test\.ts$/;

/** A part of all files: the first of four is `{ at: 1, of: 4 }`. */
export interface Shard {
  readonly at: number;
  readonly of: number;
}

/** The test files of these globs in a tree, in order; with a shard, every n-th of them. */
export function testFiles(root: string, globs: readonly string[], shard: Shard = { at: 1, of: 1 }): readonly string[] {
  const found = new Set(globs.flatMap((glob) => globSync(glob, { cwd: root })));
  return [...found]
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".test.ts") && !NOT_RUN.test(file))
    .toSorted()
    .filter((_, index) => index % shard.of === shard.at - 1);
}

/** Reads `2/4`; undefined for anything else. */
export function shardOf(text: string): Shard | undefined {
  const [, at, of] = /^(\d{1,3})\/(\d{1,3})$/.exec(text)?.map(Number) ?? [];
  return at !== undefined && of !== undefined && at >= 1 && at <= of ? { at, of } : undefined;
}

/** A call of the tree's own test program. */
export interface Call {
  readonly args: readonly string[];
}

/**
 * The calls of pnpm that run these files as the tree itself does. Its own `pnpm test` sorts them to their configurations;
 * that of early 2026 does not begin with the gateway's when another test has failed, so its configurations are named.
 */
export function callsOf(root: string, files: readonly string[], options: readonly string[]): readonly Call[] {
  if (!existsSync(join(root, "vitest.unit.config.ts")))
    return [{ args: ["run", "test", ...options, ...files] }].filter(() => files.length > 0);
  const gateway = files.filter((file) => file.startsWith("src/gateway/"));
  const unit = files.filter((file) => !gateway.includes(file));
  const vitest = ["exec", "vitest", "run", ...options];
  return [
    { args: [...vitest, "--config", "vitest.unit.config.ts", ...unit], files: unit },
    { args: [...vitest, "--config", "vitest.gateway.config.ts", ...gateway], files: gateway },
  ].filter(({ files: own }) => own.length > 0);
}
