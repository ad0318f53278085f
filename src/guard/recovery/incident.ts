import { join } from "node:path";
import { fileTime } from "../../base/file-time.ts";
import { writeNew } from "../../base/write-new.ts";
import type { HistoryFailure } from "../../recovery/choose.ts";
import { emit } from "../../observe/index.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import { withJournal } from "../base/journal.ts";
import { logFailure, logLine } from "../base/log.ts";
import type { GuardContext } from "../openclaw/session.ts";

/** How an incident ended. */
export type Outcome = "answered" | "reset" | "refused" | "told";

/** One refusal of a provider, or one stop by its filter, and what was done next. */
interface Step {
  failure: "history" | "content_filter";
  problem: string;
  message?: number;
  block?: number;
  ids?: readonly string[];
  requestId?: string;
  status?: number;
  /** What was tried then. */
  rung?: string;
}

/** Incidents of this process by how they ended. */
const counts: Record<Outcome, number> = { answered: 0, reset: 0, refused: 0, told: 0 };

/** How many incidents this process has had, by outcome. */
export function incidentCounts(): Readonly<Record<Outcome, number>> {
  return { ...counts };
}

/**
 * What a provider refused and how it ended, for the operator: kinds, indices, ids, request ids, rungs; nothing of the
 * conversation. Written once, to `logs/integrity-incident-<timestamp>.json` in OpenClaw's state directory. Issue 4.
 */
export class Incident {
  isClosed = false;
  readonly #context: GuardContext;
  readonly #steps: Step[] = [];
  readonly #since = performance.now();

  constructor(context: GuardContext) {
    this.#context = context;
  }

  refused({ problem, message, block, ids }: HistoryFailure, text: string): void {
    const place = {
      ...(message !== undefined && { message }),
      ...(block !== undefined && { block }),
      ...(ids.length > 0 && { ids }),
      ...traceOf(text),
    };
    this.#steps.push({ failure: "history", problem, ...place });
    emit("l0:recovery:refused", () => ({ ...this.#place(), ...place }), { kind: problem });
  }

  stopped(part: string, text: string): void {
    const trace = traceOf(text);
    this.#steps.push({ failure: "content_filter", problem: part, ...trace });
    emit("l0:recovery:stopped", () => ({ ...this.#place(), ...trace }), { kind: part });
  }

  /** Takes down what is tried because of the last refusal. */
  rung(name: string): void {
    const last = this.#steps.at(-1);
    if (last) last.rung = name;
    emit("l0:recovery:retried", () => this.#place(), { kind: name });
  }

  #place(): { sessionId: string | undefined; sessionKey: string | undefined; api: string | undefined } {
    const { sessionId, sessionKey, api } = this.#context;
    return { sessionId, sessionKey, api };
  }

  /** Writes the file, logs one line, counts. Never throws. */
  close(outcome: Outcome, archive?: string): void {
    if (this.isClosed || this.#steps.length === 0) return;
    this.isClosed = true;
    counts[outcome]++;
    const { sessionId, sessionKey, provider, modelId, api, point, release } = this.#context;
    const what = this.#steps
      .map(({ failure, problem, rung }) => `${failure}:${problem}${rung === undefined ? "" : ` -> ${rung}`}`)
      .join(", ");
    logLine(
      `incident api=${api ?? "?"} session=${sessionId ?? "?"} ${what}; ${outcome}${archive === undefined ? "" : `, archive ${archive}`}`,
    );
    const rungs = this.#steps.flatMap(({ rung }) => rung ?? []);
    emit(
      "l0:recovery:complete",
      () => ({ ...this.#place(), steps: this.#steps.length, rungs, isArchived: archive !== undefined }),
      { since: this.#since, kind: outcome },
    );
    const at = new Date().toISOString();
    const record = {
      format: "openclaw-integrity incident",
      version: 1,
      at,
      outcome,
      release,
      sessionId,
      sessionKey,
      provider,
      model: modelId,
      api,
      point,
      ...(archive !== undefined && { archive }),
      steps: this.#steps,
      counts: incidentCounts(),
    };
    withJournal((journal) =>
      journal.incidents.log({
        ...(sessionId !== undefined && { sessionId }),
        kind: this.#steps.at(-1)!.failure,
        details: record,
      }),
    );
    try {
      writeNew(
        join(stateDirectory(), "logs"),
        `integrity-incident-${fileTime(at)}`,
        `${JSON.stringify(record, null, 2)}\n`,
      );
    } catch (error) {
      logFailure("incident record", error, "the line above is all there is");
    }
  }
}

/** What the provider's support would ask for. */
function traceOf(text: string): { requestId?: string; status?: number } {
  const requestId = /"request_id"\s*:\s*"([\w.:-]{1,100})"|\b(req_[\w-]{1,100})/.exec(text);
  const status = /\b([45]\d\d)\b/.exec(text)?.[1];
  return {
    ...(requestId && { requestId: requestId[1] ?? requestId[2]! }),
    ...(status !== undefined && { status: Number(status) }),
  };
}
