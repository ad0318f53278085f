import { visible } from "../../src/base/visible.ts";
import { SHORT_NAMES } from "./apis.ts";
import { isGood } from "./judge.ts";
import type { Paint } from "./print/paint.ts";
import type { ReleaseReport, RunRecord } from "./record.ts";
import { wrap } from "./print/width.ts";

/** What went wrong with the patched OpenClaw, run by run, and how each is run again. */
export function failureLines({ release, records }: ReleaseReport, width: number, paint: Paint): string[] {
  const failed = records.filter(
    ({ variant, verdict }) => variant === "patched" && !isGood(verdict) && verdict.answered !== "timed out",
  );
  if (failed.length === 0) return [];
  return ["", paint("bad", "Failed with the patch"), ...failed.flatMap((record) => describe(record, release, width))];
}

function describe({ job, verdict, requests }: RunRecord, release: string, width: number): string[] {
  const { answered, error, lost = [], unwanted } = verdict;
  const indented = (text: string): string[] => wrap(visible(text), width - 4).map((line) => `    ${line}`);
  const lines = [`  ${visible(job.id)} on ${SHORT_NAMES[job.api]}`];
  if (answered !== "both")
    lines.push(...indented(`answered: ${answered}, after ${requests.length} requests: ${error ?? ""}`));
  if (lost.length > 0) lines.push(...indented(`did not reach the provider: ${quoted(lost)}`));
  if (unwanted.length > 0) lines.push(...indented(`must not be sent: ${quoted(unwanted)}`));
  if (job.report !== "own")
    lines.push(`    npm start -- --release ${release} --api ${SHORT_NAMES[job.api]} \\`, `      --only '^${job.id}$'`);
  return lines;
}

function quoted(texts: readonly string[]): string {
  const shown = texts.slice(0, 5).map((text) => `"${text}"`);
  return texts.length > 5 ? `${shown.join(", ")} and ${texts.length - 5} more` : shown.join(", ");
}

/** What is said of patched runs that timed out twice; no lines when there are none. */
export function timeoutLines(records: readonly RunRecord[], width: number, paint: Paint): string[] {
  const slow = records.filter(({ variant, verdict }) => variant === "patched" && verdict.answered === "timed out");
  if (slow.length === 0) return [];
  const names = slow.map(({ job }) => `${visible(job.id)} on ${SHORT_NAMES[job.api]}`).join(", ");
  const text =
    `Timed out, twice: ${names}. This machine was too slow for it, or too busy, and nothing is said about the patch. ` +
    "Run it again when less else runs, or give it more time: npm start -- --patience 300";
  return ["", ...wrap(text, width).map((line) => paint("warn", line))];
}
