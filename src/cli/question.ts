import { createInterface } from "node:readline/promises";
import { CodedError } from "../base/coded-error.ts";
import { isTerminal, type Line, say, standardOutput } from "../base/terminal.ts";
import { EXIT, runAsync, type Outcome, type OutputOptions } from "./run.ts";

/** Somebody was asked, and did not say yes. */
class Cancelled extends CodedError<"declined"> {
  override readonly name = "Cancelled";

  constructor(unchanged: string) {
    super("declined", `cancelled; ${unchanged}`);
  }
}

/**
 * Returns whether a person can be asked for confirmation: at a terminal, unless the command already carries the answer.
 */
export function asks({
  yes = false,
  json = false,
  quiet = false,
}: OutputOptions & { readonly yes?: boolean }): boolean {
  return !yes && !json && !quiet && isTerminal("stdin") && isTerminal("stdout");
}

/**
 * Shows what would be done and asks for confirmation. For any answer but yes it rejects with what
 * {@link runAsking} prints as one line; `unchanged` says what became of the user's data then.
 */
export async function ask(lines: readonly Line[], question: string, unchanged = "nothing was changed"): Promise<void> {
  say(lines);
  const answer = await answerTo(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new Cancelled(unchanged);
}

/** What was typed; nothing after Ctrl-C and Ctrl-D. */
async function answerTo(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: standardOutput() });
  const ended = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
  const answer = await Promise.race([terminal.question(question), ended]).catch(() => "");
  terminal.close();
  return answer;
}

/** {@link runAsync} for a command that may ask: for a person who did not say yes it prints one line, and no refusal. */
export async function runAsking(
  options: Parameters<typeof runAsync>[0],
  work: () => Promise<Outcome> | Outcome,
): Promise<void> {
  await runAsync(options, () => unlessCancelled(work));
}

/** The outcome of `work`; for a person who did not say yes one line: that person knows the reason. */
async function unlessCancelled(work: () => Promise<Outcome> | Outcome): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    const { code, message } = error;
    return { data: { code, message }, lines: [message], exit: EXIT.refused };
  }
}
