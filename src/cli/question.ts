import { createInterface } from "node:readline/promises";
import { isTerminal, say, standardOutput } from "../base/terminal.ts";
import type { OutputOptions } from "./run.ts";

/**
 * Whether a person can be asked before something is done: at a terminal, unless the answer was given with the command.
 */
export function asks({
  yes = false,
  json = false,
  quiet = false,
}: OutputOptions & { readonly yes?: boolean }): boolean {
  return !yes && !json && !quiet && isTerminal("stdin") && isTerminal("stdout");
}

/** Shows what would be done and asks for it. Returns what was answered when it is not yes. */
export async function refusedAnswer(lines: readonly string[], question: string): Promise<string | undefined> {
  say(lines);
  const terminal = createInterface({ input: process.stdin, output: standardOutput() });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim()) ? undefined : JSON.stringify(answer);
}
