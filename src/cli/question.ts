import { createInterface } from "node:readline/promises";
import { isTerminal, say, standardOutput } from "../base/terminal.ts";
import type { OutputOptions } from "./run.ts";

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

/** Shows what would be done and asks for confirmation. Returns undefined for yes, else the answer. */
export async function refusedAnswer(lines: readonly string[], question: string): Promise<string | undefined> {
  say(lines);
  const terminal = createInterface({ input: process.stdin, output: standardOutput() });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim()) ? undefined : JSON.stringify(answer);
}
