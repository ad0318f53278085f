/** The command line of `npm run dist`. */
import { resolve } from "node:path";
import { Command, CommanderError } from "commander";
import { LATEST } from "../../src/patching/base/releases.ts";

/** What is to be built. */
export interface DistributionOptions {
  readonly release: string;
  /** Grows with every distribution of the same release. */
  readonly number: number;
  /** The folder the tarball is written into; `.cache/dist` of the repository when it is left out. */
  readonly out?: string;
  /** gzip's level, 1 (fast) to 9 (small); 6 when it is left out. */
  readonly compression?: number;
}

/** The command line cannot be used: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What parseArguments gives: options, or the text that was asked for with --help. */
export type Parsed = { readonly options: DistributionOptions } | { readonly help: string };

/** Reads the command line; throws a UsageError that says what is wrong with it. */
export function parseArguments(argv: readonly string[]): Parsed {
  let printed = "";
  const command = describeCommand().configureOutput({
    writeOut: (text) => (printed += text),
    writeErr: () => undefined,
  });
  try {
    command.parse([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === "commander.helpDisplayed") return { help: printed };
    throw new UsageError(`${error.message.replace(/^error: /, "")}. See: npm run dist -- --help`, { cause: error });
  }
  const { release, number, out, compression } = command.opts<{
    release: string;
    number: string;
    out?: string;
    compression?: string;
  }>();
  return {
    options: {
      release,
      number: parseNumber(number),
      ...(out === undefined ? {} : { out: resolve(out) }),
      ...(compression === undefined ? {} : { compression: parseLevel(compression) }),
    },
  };
}

function describeCommand(): Command {
  return new Command("npm run dist --")
    .description(
      "Builds openclaw-<release>-integrity.<number>.tgz: the published package of OpenClaw with the patches in it, which " +
        "`npm install -g` installs under the name openclaw. The same release, number and checkout give the same bytes.",
    )
    .option("--release <release>", "the release of OpenClaw", LATEST)
    .option("--number <number>", "the number of this distribution of the release", "1")
    .option("--out <folder>", "where the tarball is written (default: .cache/dist)")
    .option("--compression <level>", "1 packs fast, 9 packs small (default: 6); another level gives other bytes")
    .allowExcessArguments(false)
    .exitOverride();
}

function parseNumber(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`expected --number with a whole number from 1; found ${text}. See: npm run dist -- --help`);
}

function parseLevel(text: string): number {
  if (/^[1-9]$/.test(text)) return Number(text);
  throw new UsageError(`expected --compression with a level from 1 to 9; found ${text}. See: npm run dist -- --help`);
}
