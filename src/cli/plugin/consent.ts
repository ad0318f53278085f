import { say } from "../../base/terminal.ts";
import { pluginError } from "./errors.ts";
import { asks, refusedAnswer } from "../question.ts";
import type { OutputOptions } from "../run.ts";

/**
 * Shows the planned changes, unless the output is JSON or quiet, and asks for consent at a terminal. Rejects with
 * `declined`.
 */
export async function showAndAsk(
  lines: readonly string[],
  question: string,
  options: OutputOptions & { readonly yes?: boolean },
): Promise<void> {
  if (!asks(options)) {
    if (!options.json && !options.quiet) say(lines);
    return;
  }
  const answer = await refusedAnswer(lines, question);
  if (answer !== undefined)
    throw pluginError("declined", { expected: "yes", found: answer, todo: "Nothing was changed." });
}
