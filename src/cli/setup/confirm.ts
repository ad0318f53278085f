import { isTerminal, say } from "../../base/terminal.ts";
import { refusedAnswer } from "../question.ts";
import type { OutputOptions } from "../run.ts";
import { setupError } from "./errors.ts";

/** Shows what is going to be done and asks. Throws `not-confirmed` where nobody can be asked and --yes is missing. */
export async function confirm(
  lines: readonly string[],
  question: string,
  options: OutputOptions & { readonly yes?: boolean },
): Promise<void> {
  const isQuiet = options.json === true || options.quiet === true;
  if (options.yes === true) {
    if (!isQuiet) say(lines);
    return;
  }
  const canAsk = !isQuiet && isTerminal("stdin") && isTerminal("stdout");
  if (!canAsk && !isQuiet) say(lines);
  const answer = canAsk ? await refusedAnswer(lines, question) : "no terminal to ask at";
  if (answer === undefined) return;
  throw setupError("not-confirmed", {
    expected: canAsk ? "yes" : "--yes, or a terminal at which a person can be asked",
    found: answer,
    todo: "Nothing was changed.",
  });
}
