/** Explains what the patch does to an OpenClaw and why, or why it is refused. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PatchError } from "./base/errors.ts";
import { type Installation, readInstallation } from "./find/installation.ts";
import { isMarked } from "./base/marks.ts";
import { guardText, describeMismatch, planSurvey } from "./plan.ts";
import type { Fork } from "./locate/fork.ts";
import { survey } from "./locate/survey.ts";
import { refusedIn, type Verdict } from "./locate/verdict.ts";
import { ownCommand } from "../base/commands/own-command.ts";

/** A patch point in this OpenClaw. */
export interface ExplainedPoint {
  readonly id: string;
  readonly why: string;
  readonly dependsOn: string;
  readonly inserts: string;
  /** Required number of copies, as text. */
  readonly expected: string;
  readonly found: number;
  /** `left-out`: it does not fit this release, and the patch works without it; `refused`: it stops the whole patch. */
  readonly outcome: Verdict["outcome"];
  readonly reason?: string;
  readonly places: readonly { readonly file: string; readonly line: number; readonly region?: string }[];
}

/** The result of `openclaw-integrity explain`. */
export interface Explanation {
  readonly root: string;
  readonly release: string;
  /** Whether the release is in releases/releases.json: then it was checked, and its files are known by hash. */
  readonly known: boolean;
  readonly outcome: "patched" | "fits" | "refused";
  readonly reason?: string;
  readonly todo?: string;
  /** What differs from the published OpenClaw, in a fork and where apply refuses because of that. */
  readonly fork?: Fork;
  readonly points: readonly ExplainedPoint[];
  /** Copies of the same code that are not patched, and why. */
  readonly leftAlone: readonly { readonly file: string; readonly why: string }[];
}

const WORKER =
  "a bundle for cloud workers, minified: OpenClaw hashes it and sends it to another machine, where our file would be " +
  "missing. Sessions that run on a cloud worker are not covered.";

/**
 * Explains the OpenClaw in `root`. Reads only. Throws `openclaw-missing`, and `outcome-invalid` for a file that is not
 * UTF-8; every other refusal is part of the result.
 */
export function explain(root: string): Explanation {
  const installation = readInstallation(root);
  const surveyed = survey(installation);
  const base = {
    root,
    release: installation.release,
    known: surveyed.installation.known !== undefined,
    ...(surveyed.fork && { fork: surveyed.fork }),
    points: surveyed.verdicts.map(explainPoint),
    leftAlone: workerBundles(root),
  };
  try {
    planSurvey(surveyed, guardText());
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    if (error.code === "openclaw-modified") return { ...base, ...modified(installation, error) };
    const reason = reasonFor(error, surveyed.verdicts, installation.release);
    return { ...base, outcome: "refused", reason, todo: suggestTodo(surveyed.verdicts) };
  }
  return { ...base, outcome: surveyed.chunks.some(({ text }) => isMarked(text)) ? "patched" : "fits" };
}

/** What differs from the published OpenClaw, and whether it would be patched as the fork that it may be. */
function modified(
  installation: Installation,
  error: PatchError,
): Pick<Explanation, "outcome" | "reason" | "todo" | "points" | "fork"> {
  const surveyed = survey(installation, { fork: true });
  const base = {
    outcome: "refused" as const,
    reason: `expected OpenClaw ${installation.release} as published; found other files`,
    points: surveyed.verdicts.map(explainPoint),
    ...(surveyed.fork && { fork: surveyed.fork }),
  };
  const again = `Reinstall this release of OpenClaw, then run: ${ownCommand("apply")}`;
  const fork = ownCommand("apply", { options: ["--fork"] });
  try {
    planSurvey(surveyed, guardText());
  } catch (refusal) {
    if (!(refusal instanceof PatchError)) throw refusal;
    const why = reasonFor(refusal, surveyed.verdicts, installation.release);
    return { ...base, todo: `${again}. As a fork (${fork}) it is refused too: ${why}` };
  }
  return surveyed.fork
    ? { ...base, todo: `${again}. If it is a fork or a build of your own, its code fits: ${fork}` }
    : { ...base, reason: error.message, todo: again };
}

/** Returns what a verdict says to a person. */
export function explainPoint({ point, findings, ...verdict }: Verdict): ExplainedPoint {
  const { id, why, dependsOn, inserts } = point;
  const places = findings
    .filter(({ insertion }) => insertion?.where !== "top")
    .map(({ file, line, region }) => (region === undefined ? { file, line } : { file, line, region }));
  return { id, why, dependsOn, inserts, ...verdict, places };
}

/** The reason of a refusal, without what apply says to do about a place that does not fit: to read this explanation. */
function reasonFor({ code, message }: PatchError, verdicts: readonly Verdict[], release: string): string {
  const refused = refusedIn(verdicts);
  if (code !== "point-mismatch" || refused === undefined) return message;
  const { expected, found } = describeMismatch(refused, release);
  return `expected ${expected}; found ${found}`;
}

function suggestTodo(verdicts: readonly Verdict[]): string {
  const refused = verdicts.filter(({ outcome }) => outcome === "refused").map(({ point }) => point.id);
  if (refused.length === 0) return `Reinstall this release of OpenClaw, then run: ${ownCommand("apply")}`;
  return (
    `Nothing was changed. A newer openclaw-integrity may support this release; ${refused.join(", ")} of this ` +
    `version ${refused.length === 1 ? "does" : "do"} not fit the code at the places below.`
  );
}

/** The bundles of dist/worker that contain a copy of the history pipeline. */
function workerBundles(root: string): Explanation["leftAlone"] {
  const folder = join(root, "dist", "worker");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /\.[cm]?js$/.test(name) && readFileSync(join(folder, name)).includes("limitHistoryTurns("))
    .map((name) => ({ file: `dist/worker/${name}`, why: WORKER }));
}
