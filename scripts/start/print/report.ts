import type { ModelApi } from "../../../harness/corpus/case.ts";
import { SHORT_NAMES } from "../apis.ts";
import { caseClass, className, compareClasses, shortTitle } from "../classes.ts";
import { describeHealed, mergeHealed } from "../healed.ts";
import { isBricked, isGood } from "../judge.ts";
import type { ReleaseReport, RunRecord } from "../record.ts";
import type { Cell, Column, Row } from "./table.ts";

/** A transcript on one API, in both variants. */
interface Pair {
  api: ModelApi;
  stock: RunRecord | undefined;
  patched: RunRecord;
}

/** How the table is to be. */
export interface TableChoice {
  /** Whether the unpatched OpenClaw ran. */
  stock: boolean;
  /** Whether all errors are shown, and not only those of the incidents and of the patched OpenClaw. */
  errors: boolean;
}

/** The columns of the table. */
export function chooseColumns({ stock }: TableChoice): Column[] {
  return [
    { title: "case", flex: 55 },
    { title: "report" },
    { title: "API", max: 9 },
    ...(stock ? [{ title: "stock" }] : []),
    { title: "patched" },
    { title: "healed", flex: 45 },
  ];
}

/** What the words of the table mean. */
export const LEGEND =
  "bricked: no message was answered · lost n of m: answered, but n of m pieces of the session's real content were not in the " +
  "request · healed: what the patch set right; –: nothing had to be · report: #n is an issue of openclaw/openclaw";

/** Why the numbers of a transcript's faults and of what was healed can differ. */
export const OWN_LEGEND =
  "healed counts what was changed for a request, also in failed turns and parts that OpenClaw leaves out itself, which " +
  "are no faults of the session; body: what only the finished request showed";

/** The rows of the table: by class, a line for each outcome of a case. */
export function makeTableRows({ records, release }: ReleaseReport, choice: TableChoice): Row[] {
  const byCase = Map.groupBy(records, ({ job }) => job.id);
  const byClass = Map.groupBy(byCase, ([id, [first]]) => (first!.job.report === "own" ? "" : caseClass(id)));
  return [...byClass]
    .toSorted(([left], [right]) => compareClasses(left, right))
    .flatMap(([letter, cases]) => [
      { heading: letter === "" ? `Your transcript in OpenClaw ${release}` : className(letter) },
      ...cases.flatMap(([, runs]) => rowsOfCase(runs, choice)),
    ]);
}

function rowsOfCase(runs: readonly RunRecord[], choice: TableChoice): Row[] {
  const pairs = pairRuns(runs);
  const outcomes = Map.groupBy(
    pairs,
    ({ stock, patched }) => `${stock ? outcomeCell(stock).text : ""} ${outcomeCell(patched).text}`,
  );
  return [...outcomes.values()].flatMap((alike, nth) => {
    const { stock, patched } = alike[0]!;
    const { id, title, report } = patched.job;
    const healed = describeHealed(mergeHealed(alike.map((pair) => pair.patched.healed)));
    const isOwn = report === "own";
    const cells: Cell[] = [
      { text: nth > 0 ? "" : isOwn ? title : shortTitle(id) },
      { text: nth > 0 || isOwn ? "" : report.replace("openclaw#", "#"), style: "dim" },
      {
        text: apisText(
          alike.map(({ api }) => api),
          pairs.length,
        ),
      },
      ...(choice.stock ? [stock ? outcomeCell(stock) : { text: "" }] : []),
      outcomeCell(patched, true),
      { text: healed || "–", style: "dim" },
    ];
    return [{ cells }, ...listNotes(stock, patched, choice).map((note) => ({ note }))];
  });
}

function listNotes(stock: RunRecord | undefined, patched: RunRecord, { errors }: TableChoice): string[] {
  const { id, title, report } = patched.job;
  const isOwn = report === "own";
  const isHeadline = isOwn || caseClass(id) === "q";
  const notes = isHeadline && !isOwn ? [title] : [];
  notes.push(...patched.failures.map((failure) => `guard: ${failure}`));
  if (stock?.verdict.error !== undefined && (errors || isHeadline)) notes.push(`stock: ${stock.verdict.error}`);
  if (patched.verdict.error !== undefined) notes.push(`patched: ${patched.verdict.error}`);
  return notes;
}

function pairRuns(runs: readonly RunRecord[]): Pair[] {
  return runs
    .filter(({ variant }) => variant === "patched")
    .map((patched) => {
      const { api } = patched.job;
      return { api, patched, stock: runs.find((run) => run.variant === "stock" && run.job.api === api) };
    });
}

function apisText(apis: readonly ModelApi[], all: number): string {
  return apis.length === all && all > 1 ? `all ${all}` : apis.map((api) => SHORT_NAMES[api]).join(" ");
}

/** What became of a run, in two or three words; what is short of `answered` is a failure of the patched OpenClaw. */
export function outcomeCell(record: RunRecord, mustBeGood = false): Cell {
  const { verdict, job } = record;
  const style = isGood(verdict) ? "good" : mustBeGood || isBricked(verdict) ? "bad" : "warn";
  return { text: words(verdict, job.mustReach.length), style };
}

function words({ answered, lost = [], unwanted }: RunRecord["verdict"], all: number): string {
  if (answered === "none") return "bricked";
  if (answered !== "both") return answered;
  if (lost.length > 0) return `lost ${lost.length} of ${all}`;
  return unwanted.length > 0 ? "invented text" : "answered";
}
