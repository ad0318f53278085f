/** Which of OpenClaw's own test files are run, and by which of its configurations. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The suites around agents, sessions, transcripts, compaction and the gateway's chat, and what drives these from end to
 * end; `--only` names others.
 */
export const SUITES = [
  "src/agents/**",
  "src/sessions/**",
  "src/config/sessions/**",
  "src/gateway/**/*chat*",
  "src/gateway/**/*session*",
  "src/gateway/**/*agent*",
  "src/gateway/**/*.e2e.*",
  "src/auto-reply/**/*session*",
  "src/auto-reply/**/*compact*",
  "src/auto-reply/**/*.e2e.*",
] as const;

/** Live tests need keys. */
const LIVE = /\.live\.test\.ts$/;
/** Where a tree has its configuration of end-to-end tests. */
const END_TO_END = ["test/vitest/vitest.e2e.config.ts", "vitest.e2e.config.ts"];

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
    .filter((file) => file.endsWith(".test.ts") && !LIVE.test(file))
    .toSorted()
    .filter((_, index) => index % shard.of === shard.at - 1);
}

/** Reads `2/4`; undefined for anything else. */
export function parseShard(text: string): Shard | undefined {
  const [, at, of] = /^(\d{1,3})\/(\d{1,3})$/.exec(text)?.map(Number) ?? [];
  return at !== undefined && of !== undefined && at >= 1 && at <= of ? { at, of } : undefined;
}

/** A call of the tree's own test program. */
export interface Call {
  readonly args: readonly string[];
}

/**
 * The calls of pnpm that run these files as the tree itself does. Its own `pnpm test` sorts them to their configurations,
 * but leaves out end-to-end tests; that of early 2026 does not begin with the gateway's when another test has failed, so
 * its configurations are named.
 */
export function pnpmCalls(root: string, files: readonly string[], options: readonly string[]): readonly Call[] {
  const isEndToEnd = endToEndIn(root);
  const endToEnd = files.filter(isEndToEnd);
  const others = files.filter((file) => !isEndToEnd(file));
  const calls = [{ args: ["run", "test:e2e", ...options], files: endToEnd }];
  if (!existsSync(join(root, "vitest.unit.config.ts")))
    calls.push({ args: ["run", "test", ...options], files: others });
  else {
    const gateway = others.filter((file) => file.startsWith("src/gateway/"));
    const vitest = ["exec", "vitest", "run", ...options];
    calls.push(
      {
        args: [...vitest, "--config", "vitest.unit.config.ts"],
        files: others.filter((file) => !gateway.includes(file)),
      },
      { args: [...vitest, "--config", "vitest.gateway.config.ts"], files: gateway },
    );
  }
  return calls.filter(({ files: own }) => own.length > 0).map(({ args, files: own }) => ({ args: [...args, ...own] }));
}

/** Some end-to-end tests are named by their configuration, not by their name. */
function endToEndIn(root: string): (file: string) => boolean {
  const config = END_TO_END.map((path) => join(root, path)).find((path) => existsSync(path));
  const text = config === undefined ? "" : readFileSync(config, "utf8");
  return (file) => file.endsWith(".e2e.test.ts") || text.includes(JSON.stringify(file));
}
