import { text as readAll } from "node:stream/consumers";
import { columns, isTerminal } from "../../base/terminal.ts";
import { findOrigin, whyLines } from "../../doctor/index.ts";
import { EXIT, runAsync, UsageError, type OutputOptions } from "../run.ts";
import { waiting } from "../waiting.ts";
import { toData, withCatalog } from "./catalog.ts";
import { progress } from "./scan.ts";

interface WhyOptions extends OutputOptions {
  readonly agent?: string;
  readonly content?: boolean;
}

/** Columns where the terminal's width is unknown. */
const COLUMNS = 100;

/** `openclaw-integrity why`: exit code 3 where a stored session has the fault that the error is about, else 0. */
export async function whyCommand(words: readonly string[], options: WhyOptions): Promise<void> {
  await runAsync(options, async () => {
    const { agent, content = false } = options;
    const error = words.length > 0 ? words.join(" ") : await fromStandardInput();
    if (error.trim() === "") throw new UsageError('expected the text of an error: why "400 messages.3: …"; found none');
    return withCatalog(async (catalog, stateDirectory) => {
      const origin = await findOrigin(catalog, error, {
        stateDirectory,
        onProgress: progress(options),
        ...(agent !== undefined && { agentId: agent }),
      });
      const { failure, suspects, others } = origin;
      return {
        data: {
          failure,
          others,
          sessions: suspects.map(({ session, stored, sent, ...rest }) => ({
            ...toData(session),
            ...rest,
            stored: stored.map(({ at }) => at),
            sent: sent?.map(({ at }) => at),
          })),
        },
        lines: whyLines(origin, columns() ?? COLUMNS, content),
        exit: suspects.length > 0 ? EXIT.no : EXIT.ok,
      };
    }, agent);
  });
}

async function fromStandardInput(): Promise<string> {
  if (isTerminal("stdin")) waiting("paste the error, and end it with Ctrl-D on a line of its own");
  return readAll(process.stdin);
}
