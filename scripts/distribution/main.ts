/**
 * `npm run dist`: the published OpenClaw plus the patches, as one tarball that npm installs. See `npm run dist --
 * --help`.
 */
import { buildDist } from "../../harness/build.ts";
import { PatchError } from "../../src/patching/base/errors.ts";
import { parseArguments, UsageError } from "./arguments.ts";
import { buildDistribution } from "./build.ts";
import { closingText } from "./closing-text.ts";

const EXIT = { refused: 1, usage: 2 } as const;

const say = (line: string): void => console.log(`dist: ${line}`);

try {
  const parsed = parseArguments(process.argv.slice(2));
  if ("help" in parsed) process.stdout.write(parsed.help);
  else {
    say("building the guard and the plugin");
    buildDist();
    console.log(closingText(await buildDistribution({ ...parsed.options, say })));
  }
} catch (error) {
  if (!(error instanceof UsageError) && !(error instanceof PatchError)) throw error;
  console.error(`dist: ${error.message}`);
  process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.refused;
}
