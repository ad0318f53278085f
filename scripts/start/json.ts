import { tallyFigures } from "./print/summary.ts";
import type { OwnTranscript } from "./own.ts";
import type { ReleaseReport, RunRecord } from "./record.ts";
import { findWords } from "./selection.ts";

/** The whole report as JSON text; the fields are always in this order. */
export function formatJson(reports: readonly ReleaseReport[], own?: OwnTranscript): string {
  return `${JSON.stringify(
    {
      ...(own
        ? {
            transcript: {
              name: own.name,
              messages: own.messages,
              state: own.state,
              damage: own.damage,
              violations: own.violations,
            },
          }
        : {}),
      releases: reports.map(({ release, records, unavailable, allApis, ms }) => ({
        release,
        allApis,
        ms: Math.round(ms),
        stock: tallyFigures(records, "stock"),
        patched: tallyFigures(records, "patched"),
        unavailable,
        runs: records.map(toRunJson),
      })),
    },
    null,
    2,
  )}\n`;
}

function toRunJson({
  job,
  release,
  variant,
  turns,
  verdict,
  requests,
  healed,
  failures,
}: RunRecord): Record<string, unknown> {
  return {
    case: job.id,
    title: job.title,
    // What the tour says of the case; null for cases that are not in it.
    words: findWords(job.id) ?? null,
    report: job.report,
    api: job.api,
    release,
    variant,
    turns,
    answered: verdict.answered,
    error: verdict.error ?? null,
    requests,
    healed,
    // Null: no request was accepted, so that nothing can be said.
    lost: verdict.lost ?? null,
    unwanted: verdict.unwanted,
    failures,
  };
}
