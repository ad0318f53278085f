import { say } from "../../base/terminal.ts";
import { ask, asks } from "../question.ts";
import type { OutputOptions } from "../run.ts";

/**
 * Shows the planned changes, unless the output is JSON or quiet, and asks for consent at a terminal. Rejects as
 * {@link ask} does.
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
  await ask(lines, question);
}
