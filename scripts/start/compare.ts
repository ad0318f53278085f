import { accessSync, constants, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { visible, visibleJson } from "../../src/base/visible.ts";
import { PatchError } from "../../src/patching/base/errors.ts";
import { LATEST, RELEASES, type Release } from "../../src/patching/base/releases.ts";
import { loadCorpus, type CorpusCase, type ModelApi } from "../../harness/corpus/case.ts";
import { ALL_APIS, whyUnavailable } from "./apis.ts";
import { isTour, parseArguments, usage, UsageError, type StartOptions } from "./arguments.ts";
import { failureLines, timeoutLines } from "./failures.ts";
import { isChosen, makeJobs, ownJobs, type Job } from "./jobs.ts";
import { formatJson } from "./json.ts";
import { isGood } from "./judge.ts";
import { describeOwn } from "./print/own-text.ts";
import { readOwn, type OwnTranscript } from "./own.ts";
import { paintFor, shown, type Paint } from "./print/paint.ts";
import { Progress } from "./print/progress.ts";
import type { ReleaseReport, RunRecord, Unavailable } from "./record.ts";
import { runRelease } from "./release.ts";
import { openScratch } from "../../harness/scratch.ts";
import { chooseColumns, LEGEND, OWN_LEGEND, makeTableRows } from "./print/report.ts";
import { summaryLines } from "./print/summary.ts";
import { layTable } from "./print/table.ts";
import { TOUR_WIDTH, tourBars, tourBeginning, tourEnd, TourLines } from "./print/tour.ts";
import { wrap } from "./print/width.ts";
import { tourJobs } from "./selection.ts";
import { installedReleases } from "../../harness/openclaw/releases.ts";

/** Where the command speaks to. */
export interface Streams {
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

/** Exit codes: as it must be; not; the command cannot be used like that; some runs timed out, and no other failed. */
const EXIT = { good: 0, failed: 1, usage: 2, timedOut: 3 } as const;

const HEARTBEAT_MS = 10_000;
const NARROW = 80;
const WIDE = 120;

/** The whole command; gives its exit code. */
export async function main(argv: readonly string[], signal: AbortSignal, streams: Streams): Promise<number> {
  try {
    const parsed = parseArguments(argv);
    if ("options" in parsed) return await new Start(parsed.options, signal, streams).run();
    streams.stdout.write(parsed.help);
    return EXIT.good;
  } catch (error) {
    if (error instanceof UsageError) {
      streams.stderr.write(`npm start: ${visible(error.message)}\nSee npm start -- --help\n`);
      return EXIT.usage;
    }
    if (!(error instanceof PatchError)) throw error;
    streams.stderr.write(`npm start: ${visible(error.message)}\n`);
    return EXIT.failed;
  }
}

class Start {
  readonly #options: StartOptions;
  readonly #signal: AbortSignal;
  readonly #streams: Streams;
  readonly #paint: Paint;
  readonly #width: number;
  readonly #corpus: CorpusCase[];
  readonly #own: OwnTranscript | undefined;
  readonly #isTour: boolean;

  constructor(options: StartOptions, signal: AbortSignal, streams: Streams) {
    this.#options = options;
    this.#signal = signal;
    this.#streams = streams;
    this.#paint = paintFor(streams.stdout);
    this.#width = Math.min(WIDE, Math.max(NARROW, streams.stdout.columns ?? NARROW));
    this.#own = options.session === undefined ? undefined : readOwn(options.session);
    this.#corpus = this.#own ? [] : loadCorpus();
    this.#isTour = isTour(options);
  }

  async run(): Promise<number> {
    const { json } = this.#options;
    const releases = this.#releases();
    const started = performance.now();
    this.#checkEarly();
    if (this.#isTour) this.#print(tourBeginning(this.#paint));
    if (this.#own) this.#print([...describeOwn(this.#own, this.#width, this.#paint), ""]);
    const reports: ReleaseReport[] = [];
    const scratch = openScratch();
    try {
      for (const release of releases) {
        const report = await this.#release(release, scratch.env);
        reports.push(report);
        if (this.#isTour) this.#print([""]);
        else this.#show(report);
      }
    } finally {
      scratch.remove();
    }
    if (this.#isTour) this.#endTour(reports, performance.now() - started);
    if (json === true) this.#streams.stdout.write(visibleJson(formatJson(reports, this.#own)));
    else if (json !== undefined) {
      writeFileSync(json, formatJson(reports, this.#own));
      this.#print([this.#paint("dim", `The whole report is in ${json}`)]);
    }
    const patched = reports.flatMap(({ records }) => records.filter(({ variant }) => variant === "patched"));
    return toExitCode(patched);
  }

  /** The older one first: its failure is the plainer one, and it starts faster. */
  #releases(): Release[] {
    if (this.#options.releases) return this.#options.releases;
    if (!this.#isTour) return [LATEST];
    const there = new Set(installedReleases().map(({ release }) => release));
    return RELEASES.map(({ release }) => release)
      .filter((release) => release === LATEST || there.has(release))
      .toReversed();
  }

  /** What would otherwise be found out only after OpenClaw was started, or after everything was run. */
  #checkEarly(): void {
    const { only, json } = this.#options;
    if (only && !this.#corpus.some((one) => isChosen(one, only))) {
      throw usage({
        expected: "at least one case that --only finds",
        found: `none for ${String(only)}`,
        todo: "Their ids are the file names in harness/corpus.",
      });
    }
    if (typeof json !== "string") return;
    try {
      accessSync(dirname(json), constants.W_OK);
    } catch {
      throw usage({
        expected: `a folder for ${json} that can be written to`,
        found: "none",
        todo: "Make it, or choose another file.",
      });
    }
  }

  async #release(release: Release, env: Record<string, string>): Promise<ReleaseReport> {
    const { stock, way, all, errors, json, turnTimeoutMs } = this.#options;
    const started = performance.now();
    let progress: Progress | undefined;
    // The lines of the tour are its progress.
    const tour =
      this.#isTour && json !== true ? new TourLines({ release, stock, errors, paint: this.#paint }) : undefined;
    if (tour) this.#print([this.#paint("head", `OpenClaw ${release}`)]);
    const say = (line: string): void => void this.#streams.stderr.write(`${visible(line)}\n`);
    // Loading OpenClaw takes a minute on a machine that is busy; until the first run nothing else would be said.
    const waiting = setInterval(() => {
      progress?.clear();
      say(`still loading OpenClaw ${release}, ${Math.round((performance.now() - started) / 1000)} s`);
    }, HEARTBEAT_MS);
    try {
      const { records, available } = await runRelease({
        release,
        stock,
        way,
        turnTimeoutMs,
        env,
        signal: this.#signal,
        plan: (offered) => {
          const jobs = this.#plan(release, offered);
          tour?.expect(jobs.map(({ id }) => id));
          return jobs;
        },
        say,
        onStart: (total) => {
          if (tour) this.#print([""]);
          if (!tour || this.#streams.stderr.isTTY) progress = new Progress(this.#streams.stderr, release, total);
        },
        onRun: (record) => {
          clearInterval(waiting);
          const lines = tour?.take(record) ?? [];
          if (lines.length > 0) {
            progress?.clear();
            this.#print(lines);
          }
          progress?.step(`${record.variant} ${record.job.id}`);
        },
      });
      return {
        release,
        records,
        unavailable: this.#unavailable(release, available),
        allApis: all,
        ms: performance.now() - started,
      };
    } finally {
      clearInterval(waiting);
      progress?.clear();
    }
  }

  #plan(release: Release, available: readonly ModelApi[]): Job[] {
    const { only, all, apis } = this.#options;
    const wanted = available.filter((api) => apis?.includes(api) ?? true);
    const jobs = this.#own
      ? ownJobs(this.#own.name, this.#own.text, wanted)
      : this.#isTour
        ? tourJobs(this.#corpus, release, available)
        : makeJobs(this.#corpus, { available, apis, only, all });
    if (jobs.length > 0) return jobs;
    const missing = apis?.find((api) => !available.includes(api));
    if (missing !== undefined) {
      throw usage({
        expected: `an API that OpenClaw ${release} offers`,
        found: missing,
        todo: `It is not there: ${whyUnavailable(missing, release)}.`,
      });
    }
    throw usage({
      expected: "a case that concerns the API",
      found: "none among those that --only finds",
      todo: "Leave out --api, or choose other cases.",
    });
  }

  #unavailable(release: Release, available: readonly ModelApi[]): Unavailable[] {
    const { apis = ALL_APIS } = this.#options;
    return apis
      .filter((api) => !available.includes(api))
      .map((api) => ({
        api,
        reason: whyUnavailable(api, release),
        cases: this.#corpus.filter(
          (one) => one.apis.includes(api) && !one.apis.some((other) => available.includes(other)),
        ).length,
      }));
  }

  #show(report: ReleaseReport): void {
    const { stock, errors } = this.#options;
    const choice = { stock, errors };
    this.#print([
      ...layTable(chooseColumns(choice), makeTableRows(report, choice), this.#width, this.#paint),
      ...failureLines(report, this.#width, this.#paint),
      ...timeoutLines(report.records, this.#width, this.#paint),
      "",
      ...wrap(this.#own ? OWN_LEGEND : LEGEND, this.#width).map((line) => this.#paint("dim", line)),
      "",
      ...summaryLines(report, this.#width, this.#paint),
      "",
    ]);
  }

  #endTour(reports: readonly ReleaseReport[], ms: number): void {
    const width = TOUR_WIDTH;
    const shownReleases = new Set<string>(reports.map(({ release }) => release));
    const missing = this.#options.releases
      ? []
      : RELEASES.map(({ release }) => release).filter((release) => !shownReleases.has(release));
    this.#print([
      ...reports.flatMap((report) => failureLines(report, width, this.#paint)),
      ...reports.flatMap(({ records }) => timeoutLines(records, width, this.#paint)),
      ...reports.flatMap(({ release, records }) => tourBars(release, records, this.#paint)),
      ...tourEnd({ cases: this.#corpus.length, missing, ms, paint: this.#paint }),
    ]);
  }

  /** For people; with --json alone standard output is for the report. */
  #print(lines: readonly string[]): void {
    if (this.#options.json !== true) this.#streams.stdout.write(`${lines.map(shown).join("\n")}\n`);
  }
}

/** The exit code for the runs of the patched OpenClaw. */
export function toExitCode(patched: readonly Pick<RunRecord, "verdict">[]): number {
  const bad = patched.filter(({ verdict }) => !isGood(verdict));
  if (bad.length === 0) return EXIT.good;
  return bad.every(({ verdict }) => verdict.answered === "timed out") ? EXIT.timedOut : EXIT.failed;
}
