import { visible } from "../../../src/base/visible.ts";
import { isRelease } from "../../../src/patching/base/releases.ts";
import { SHORT_NAMES } from "../apis.ts";
import { describeHealed } from "../healed.ts";
import { isBricked, isGood } from "../judge.ts";
import type { RunRecord } from "../record.ts";
import { HEADLINES, findWords } from "../selection.ts";
import type { Paint, Style } from "./paint.ts";
import { outcomeCell } from "./report.ts";
import { count, tallyFigures, type Figures } from "./summary.ts";
import { cut, pad, wrap } from "./width.ts";

/** The width of everything that is printed here: a terminal has at least that. */
export const TOUR_WIDTH = 80;

const WORDS = 43;
const API = 9;
const OUTCOME = 11;
const LABEL = 11;

/** What is printed before the first OpenClaw is started. */
export function tourBeginning(paint: Paint): string[] {
  return [
    ...wrap(
      "Corrupt sessions in the real OpenClaw, unpatched beside patched: two messages to each. The providers are servers " +
        "on this machine, with the rules and the error texts of the real ones; no key is used, and nothing is sent elsewhere.",
      TOUR_WIDTH,
    ).map((line) => paint("dim", line)),
    "",
  ];
}

/** The lines of a tour through one release, each as soon as it is known. */
export class TourLines {
  readonly #release: string;
  readonly #hasStock: boolean;
  readonly #errors: boolean;
  readonly #paint: Paint;
  readonly #waiting = new Map<string, RunRecord[]>();
  #order: string[] = [];
  #hasHeading = false;

  constructor(options: { release: string; stock: boolean; errors: boolean; paint: Paint }) {
    this.#release = options.release;
    this.#hasStock = options.stock;
    this.#errors = options.errors;
    this.#paint = options.paint;
  }

  /** Takes the ids of the cases, in the order in which they are shown. */
  expect(ids: readonly string[]): void {
    this.#order = [...ids];
  }

  /** Takes a run; gives the lines of the cases that are complete and whose turn it is. */
  take(record: RunRecord): string[] {
    const { id } = record.job;
    this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), record]);
    const lines: string[] = [];
    for (let next = this.#next(); next; next = this.#next()) lines.push(...this.#tourLines(next));
    return lines;
  }

  #next(): RunRecord[] | undefined {
    const runs = this.#waiting.get(this.#order[0] ?? "");
    if (!runs || runs.length < (this.#hasStock ? 2 : 1)) return undefined;
    this.#order.shift();
    return runs;
  }

  #tourLines(runs: readonly RunRecord[]): string[] {
    const stock = runs.find(({ variant }) => variant === "stock");
    const patched = runs.find(({ variant }) => variant === "patched")!;
    const { id } = patched.job;
    const headline = isRelease(this.#release) ? HEADLINES[this.#release] : undefined;
    if (headline?.id === id) return this.#inFull(headline.story, stock, patched);
    const heading = this.#hasHeading ? [] : this.#heading();
    this.#hasHeading = true;
    const cells = [
      pad(cut(findWords(id) ?? id, WORDS), WORDS),
      pad(SHORT_NAMES[patched.job.api], API),
      ...(stock ? [this.#outcome(stock, false)] : []),
      this.#outcome(patched, true),
    ];
    const error = this.#errors ? stock?.verdict.error : undefined;
    return [
      ...heading,
      `  ${cells.join("  ")}`.trimEnd(),
      ...(error === undefined ? [] : this.#labelled("", error, "dim")),
      ...(patched.verdict.error === undefined ? [] : this.#labelled("", patched.verdict.error, "bad")),
    ];
  }

  #heading(): string[] {
    const cells = [
      pad("the same with other faults", WORDS),
      pad("API", API),
      ...(this.#hasStock ? [pad("unpatched", OUTCOME)] : []),
      "patched",
    ];
    return ["", this.#paint("dim", `  ${cells.join("  ")}`)];
  }

  #outcome(record: RunRecord, isOurs: boolean): string {
    const { text, style } = outcomeCell(record, isOurs);
    return this.#paint(style, text) + pad("", OUTCOME - text.length);
  }

  /** Both messages with what came back, in the words of the provider and of the model. */
  #inFull(story: string, stock: RunRecord | undefined, patched: RunRecord): string[] {
    const messages = patched.turns.length;
    const lines = wrap(story, TOUR_WIDTH - 2).map((line) => `  ${line}`);
    for (let nth = 0; nth < messages; nth++) {
      lines.push("", ...this.#labelled("user", nth === 0 ? "first message" : "second message"));
      if (stock) lines.push(...this.#reply("unpatched", stock, nth));
      lines.push(...this.#reply("patched", patched, nth));
    }
    const healed = describeHealed(patched.healed);
    if (healed !== "") lines.push("", ...this.#labelled("healed", healed, "dim"));
    return lines;
  }

  #reply(label: string, { turns, verdict, requests }: RunRecord, nth: number): string[] {
    const turn = turns[nth];
    const refused = requests.filter((request) => request.status >= 400);
    if (turn?.answered) return this.#labelled(label, `"${turn.text}"`, "good");
    const status = refused.at(-1)?.status;
    const isSame = nth > 0 && !turns[0]?.answered && new Set(refused.map(({ error }) => error)).size <= 1;
    const text = isSame ? "the same again" : (verdict.error ?? "no answer");
    return this.#labelled(label, status === undefined ? text : `${status} ${text}`, "bad");
  }

  #labelled(label: string, text: string, style?: Style): string[] {
    return wrap(visible(text), TOUR_WIDTH - LABEL - 2).map((line, nth) =>
      `  ${pad(nth === 0 ? label : "", LABEL)}${this.#paint(style, line)}`.trimEnd(),
    );
  }
}

/** The end of the tour through a release: a sign for each session. */
export function tourBars(release: string, records: readonly RunRecord[], paint: Paint): string[] {
  const variants = (["stock", "patched"] as const).filter((one) => records.some(({ variant }) => variant === one));
  return [
    "",
    ...variants.map((variant) => {
      const runs = records.filter((record) => record.variant === variant);
      const signs = [
        ...runs.filter(({ verdict }) => isBricked(verdict)).map(() => paint("bad", "✗")),
        ...runs.filter(({ verdict }) => !isBricked(verdict) && !isGood(verdict)).map(() => paint("warn", "~")),
        ...runs.filter(({ verdict }) => isGood(verdict)).map(() => paint("good", "✓")),
      ].join("");
      const label = variant === "stock" ? "unpatched" : "patched";
      return `  ${pad(release, 10)} ${pad(label, 10)} ${signs}  ${figuresText(tallyFigures(records, variant))}`;
    }),
  ];
}

function figuresText({ runs, good, bricked, half, lossy, unwanted, timedOut }: Figures): string {
  if (good === runs) return `all ${runs} answered, nothing lost`;
  const parts: [number, string][] = [
    [bricked, "bricked"],
    [half, "half answered"],
    [lossy, "lost content"],
    [unwanted, "invented text"],
    [timedOut, "timed out"],
    [good, "whole"],
  ];
  return parts.flatMap(([many, words]) => (many > 0 ? `${many} ${words}` : [])).join(", ");
}

/** The last lines: what the words mean, and what to do next. */
export function tourEnd(options: { cases: number; missing: readonly string[]; ms: number; paint: Paint }): string[] {
  const { cases, missing, ms, paint } = options;
  return [
    "",
    ...wrap(
      "✗ bricked: neither message got an answer. ~ lost: answered, but without real content of " +
        "the session. ✓ answered: both messages, with all content.",
      TOUR_WIDTH,
    ).map((line) => paint("dim", line)),
    paint(
      "dim",
      `One session for each kind of fault, of ${count(cases, "case")} in the corpus. Took ${Math.round(ms / 1000)} s.`,
    ),
    "",
    row("npm start -- --errors", "with the error of each brick"),
    row("npm start -- --all", "the whole corpus, on each API"),
    row("npm start -- path/to/session.jsonl", "a session of your own"),
    ...missing.map((release) => row(`npm start -- --release ${release}`, "downloads this release first")),
    row("npx openclaw-integrity setup", "patches your own OpenClaw"),
  ];
}

function row(command: string, text: string): string {
  return `  ${pad(command, 44)} ${text}`;
}
