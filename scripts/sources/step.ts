/** A command of somebody else's build: its whole output is kept in a file, and a failure names step and reason. */
import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { finished } from "node:stream/promises";

/** What is run. */
export interface Step {
  /** For the report and the error: what it does, in words. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** The file that gets the output. */
  readonly log: string;
}

/** How it ended. */
export interface StepResult {
  readonly code: number;
  readonly output: string;
}

/** A step that did not succeed. */
export class StepError extends Error {
  override readonly name = "StepError";
  readonly step: string;
  readonly reason: string;
  constructor(step: string, reason: string, more = "") {
    super(`${step}: ${reason}${more}`);
    this.step = step;
    this.reason = reason;
  }
}

/** Runs a step to its end, whatever that is. */
export async function tryStep({ program, args, folder, env, log }: Step): Promise<StepResult> {
  mkdirSync(dirname(log), { recursive: true });
  const out = createWriteStream(log);
  const child = spawn(program, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.pipe(out, { end: false });
  child.stderr.pipe(out, { end: false });
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve(status ?? 1));
  });
  out.end();
  await finished(out);
  return { code, output: readFileSync(log, "utf8") };
}

/** Runs a step. Throws a StepError when it fails. */
export async function runStep(step: Step): Promise<StepResult> {
  const result = await tryStep(step);
  if (result.code === 0) return result;
  const reason = reasonIn(result.output) || `exit code ${result.code}`;
  throw new StepError(step.name, reason, ` (whole output: ${step.log})`);
}

const COMPLAINT = /\b(?:error|fatal|ERR_\w+|ENOTFOUND|failed|cannot|not found)\b/i;
const MAX_REASON = 300;

/** The line that says why, else the last one. */
export function reasonIn(output: string): string {
  const lines = output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.includes("ELIFECYCLE"));
  return (lines.find((line) => COMPLAINT.test(line)) ?? lines.at(-1) ?? "").slice(0, MAX_REASON);
}
