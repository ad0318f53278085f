import { say } from "../../base/terminal.ts";
import { pluginError } from "./errors.ts";
import { asks, refusedAnswer } from "../question.ts";
import type { OutputOptions } from "../run.ts";

/**
 * Shows what is going to be changed, where somebody reads it, and asks where somebody can answer. Rejects with
 * `declined`. Issue 6, item 6.
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
