/** What a command writes to standard output and nothing else there: a backup, an export. */
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CodedError } from "../../../base/coded-error.ts";
import { fileTrouble } from "../../../base/file-trouble.ts";
import { printJson, standardOutput } from "../../../base/terminal.ts";
import { EXIT, type OutputOptions, runAsync } from "../../run.ts";

/**
 * Runs a command whose lines are all that standard output gets. A refusal before the first of them is JSON, where that
 * is asked for, as of any other command.
 */
export async function runPiped(
  options: OutputOptions,
  work: (put: (lines: AsyncIterable<string>) => Promise<void>) => Promise<unknown>,
): Promise<void> {
  await runAsync({ ...options, json: false, quiet: true }, async () => {
    let hasBegun = false;
    const noticed = async function* (lines: AsyncIterable<string>): AsyncGenerator<string> {
      for await (const line of lines) {
        hasBegun = true;
        yield line;
      }
    };
    try {
      await work((lines) => pipeline(Readable.from(noticed(lines)), standardOutput(), { end: false }));
      return { data: {}, lines: [] };
    } catch (error) {
      const trouble = error instanceof CodedError ? error : fileTrouble(error);
      if (options.json !== true || hasBegun || trouble === undefined) throw error;
      printJson({ ok: false, code: trouble.code, message: trouble.message });
      return { data: {}, lines: [], exit: EXIT.refused };
    }
  });
}
