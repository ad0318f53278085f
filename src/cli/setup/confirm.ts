import { type Line, say } from "../../base/terminal.ts";
import { ask, asks } from "../question.ts";
import type { OutputOptions } from "../run.ts";
import { setupError } from "./errors.ts";

/**
 * Shows what is going to be done and asks. Rejects as {@link ask} does, and with `declined` where nobody can be asked
 * and --yes is missing.
 */
export async function confirm(
  lines: readonly Line[],
  question: string,
  options: OutputOptions & { readonly yes?: boolean },
): Promise<void> {
  if (asks(options)) return ask(lines, question);
  if (options.json !== true && options.quiet !== true) say(lines);
  if (options.yes === true) return;
  throw setupError("declined", {
    expected: "--yes, or a terminal at which a person can be asked",
    found: "no terminal to ask at",
    todo: "Nothing was changed.",
  });
}
