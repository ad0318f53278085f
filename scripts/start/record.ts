import type { ModelApi } from "../../harness/corpus/case.ts";
import type { Healed } from "./healed.ts";
import type { Job } from "./jobs.ts";
import type { Verdict } from "./judge.ts";

/** The unpatched OpenClaw or the patched one. */
export type Variant = "stock" | "patched";

/** What became of a transcript on one API, in one OpenClaw. */
export interface RunRecord {
  job: Job;
  release: string;
  variant: Variant;
  /** What the user got for each message: the text of the answer, or nothing. */
  turns: { answered: boolean; ms: number; text: string }[];
  verdict: Verdict;
  /** Status of every request, and the error text of a refused one. */
  requests: { status: number; error?: string }[];
  healed: Healed[];
  /** What the guard says it could not do. */
  failures: string[];
}

/** An API that could not be run, and why. */
export interface Unavailable {
  api: ModelApi;
  reason: string;
  /** Cases that concern no other API and so were not run at all. */
  cases: number;
}

/** All runs of a release. */
export interface ReleaseReport {
  release: string;
  records: RunRecord[];
  unavailable: Unavailable[];
  /** Whether each case ran on all of its APIs. */
  allApis: boolean;
  ms: number;
}
