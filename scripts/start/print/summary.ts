import { ALL_APIS, SHORT_NAMES } from "../apis.ts";
import { clock } from "../clock.ts";
import { isGood } from "../judge.ts";
import type { Paint, Style } from "./paint.ts";
import type { ReleaseReport, RunRecord, Variant } from "../record.ts";
import { wrap } from "./width.ts";

// Where the text of the summary begins.
const LABEL = 11;

/** The figures of one variant. */
export interface Figures {
  runs: number;
  /** Both messages were answered. */
  answered: number;
  /** Neither message was. */
  bricked: number;
  /** One message was. */
  half: number;
  /** Answered, but real content did not reach the provider: runs, and pieces of content. */
  lossy: number;
  lost: number;
  /** Answered, nothing lost, but text was sent that nobody wrote, or that had been cut. */
  unwanted: number;
  /** A turn was given up: nothing is known. */
  timedOut: number;
  /** As it has to be. */
  good: number;
}

/** Counts what became of the runs of a variant. */
export function tallyFigures(records: readonly RunRecord[], variant: Variant): Figures {
  const verdicts = records.filter((record) => record.variant === variant).map(({ verdict }) => verdict);
  const both = verdicts.filter(({ answered }) => answered === "both");
  const lossy = both.filter(({ lost = [] }) => lost.length > 0);
  const bricked = verdicts.filter(({ answered }) => answered === "none").length;
  const timedOut = verdicts.filter(({ answered }) => answered === "timed out").length;
  return {
    runs: verdicts.length,
    answered: both.length,
    bricked,
    half: verdicts.length - both.length - bricked - timedOut,
    lossy: lossy.length,
    lost: lossy.reduce((sum, { lost = [] }) => sum + lost.length, 0),
    unwanted: both.filter((verdict) => !lossy.includes(verdict) && verdict.unwanted.length > 0).length,
    timedOut,
    good: verdicts.filter(isGood).length,
  };
}

/** The lines under the table, at most `width` columns wide. */
export function summaryLines(report: ReleaseReport, width: number, paint: Paint): string[] {
  const { release, records, unavailable, allApis, ms } = report;
  const isOwn = records[0]?.job.report === "own";
  const cases = new Set(records.map(({ job }) => job.id)).size;
  const [stock, patched] = [tallyFigures(records, "stock"), tallyFigures(records, "patched")];
  const used = ALL_APIS.filter((api) => records.some(({ job }) => job.api === api)).map((api) => SHORT_NAMES[api]);
  const how = isOwn
    ? `on ${used.join(", ")}`
    : allApis
      ? "each on every API that it concerns"
      : "each on one of its APIs (--all: on every one)";
  const line = (label: string, text: string, style?: Style): string[] => {
    const [first = "", ...others] = wrap(text, width - LABEL);
    return [
      `  ${label}`.padEnd(LABEL) + paint(style, first),
      ...others.map((other) => " ".repeat(LABEL) + paint(style, other)),
    ];
  };
  return [
    ...wrap(
      `OpenClaw ${release}: ${count(cases, isOwn ? "transcript" : "case")}, two messages each, ${how}`,
      width,
    ).map((text) => paint("head", text)),
    ...(stock.runs > 0 ? line("stock", figuresText(stock, paint, "warn", isOwn)) : []),
    ...line("patched", figuresText(patched, paint, "bad", isOwn)),
    ...unavailable.flatMap(({ api, reason, cases: left }) =>
      line("not run", `${SHORT_NAMES[api]}: ${reason}${onlyThere(left)}`, "dim"),
    ),
    ...line("time", clock(ms), "dim"),
  ];
}

function onlyThere(cases: number): string {
  return cases > 0 ? `; ${count(cases, "case")} concern${cases === 1 ? "s" : ""} no other API` : "";
}

function figuresText(figures: Figures, paint: Paint, style: "warn" | "bad", isOwn: boolean): string {
  const { runs, answered, bricked, half, lossy, lost, unwanted, timedOut } = figures;
  const note = (text: string, isBad: boolean): string => paint(isBad ? style : "good", text);
  const parts =
    bricked > 0
      ? [paint("bad", `bricked ${bricked} of ${runs}`), `answered ${answered}`]
      : [note(`answered ${answered} of ${runs}`, answered < runs)];
  if (half > 0) parts.push(paint(style, `one message of two ${half}`));
  if (timedOut > 0) parts.push(paint("warn", `timed out ${timedOut}`));
  // What is real in a user's own transcript is not known.
  if (!isOwn)
    parts.push(
      lost > 0
        ? note(`real content lost in ${lossy} (${count(lost, "piece")})`, true)
        : answered > 0
          ? note("no real content lost", false)
          : "",
    );
  if (unwanted > 0) parts.push(paint(style, `invented or cut text sent in ${unwanted}`));
  return parts.filter(Boolean).join(" · ");
}

/** `1 case`, `2 cases`. */
export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}
