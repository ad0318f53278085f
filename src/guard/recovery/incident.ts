import { join } from "node:path";
import { timeInFileName } from "../../base/time.ts";
import { writeNew } from "../../base/write-new.ts";
import type { HistoryFailure } from "../../recovery/choose.ts";
import { emit } from "../../observe/index.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import { withJournal } from "../base/journal.ts";
import { logFailure, logLine } from "../base/log.ts";
import type { GuardContext } from "../openclaw/session.ts";

/** How an incident ended. */
export type Outcome = "answered" | "reset" | "refused" | "told";

/** One refusal of a provider, or one stop by a content filter, and the rung that followed. */
interface Step {
  failure: "history" | "content_filter";
  problem: string;
  message?: number;
  block?: number;
  ids?: readonly string[];
  requestId?: string;
  status?: number;
  /** The rung that was tried next. */
  rung?: string;
}

/** Incidents of this process, by outcome. */
const counts: Record<Outcome, number> = { answered: 0, reset: 0, refused: 0, told: 0 };

/** Returns how many incidents this process has had, by outcome. */
export function incidentCounts(): Readonly<Record<Outcome, number>> {
  return { ...counts };
}

/**
 * The record of refusals and stops of a run and how they ended, for the operator: kinds, indices, ids, request ids,
 * rungs; no text of the conversation. Written once, to the journal and to `logs/integrity-incident-<timestamp>.json` in
 * OpenClaw's state directory.
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
      ...readTrace(text),
    };
    this.#steps.push({ failure: "history", problem, ...place });
    emit("l0:recovery:refused", () => ({ ...this.#place(), ...place }), { kind: problem });
  }

  stopped(part: string, text: string): void {
    const trace = readTrace(text);
    this.#steps.push({ failure: "content_filter", problem: part, ...trace });
    emit("l0:recovery:stopped", () => ({ ...this.#place(), ...trace }), { kind: part });
  }

  /** Records the rung that is tried after the last refusal or stop. */
  rung(name: string): void {
    const last = this.#steps.at(-1);
    if (last) last.rung = name;
    emit("l0:recovery:retried", () => this.#place(), { kind: name });
  }

  #place(): { sessionId: string | undefined; sessionKey: string | undefined; api: string | undefined } {
    const { sessionId, sessionKey, api } = this.#context;
    return { sessionId, sessionKey, api };
  }

  /** Counts the incident, logs one line, writes the record. Never throws. */
  close(outcome: Outcome, archive?: string): void {
    if (this.isClosed || this.#steps.length === 0) return;
    this.isClosed = true;
    counts[outcome]++;
    const { sessionId, sessionKey, provider, modelId, api, point, release } = this.#context;
    const what = this.#steps
      .map(({ failure, problem, rung }) => `${failure}:${problem}${rung === undefined ? "" : ` -> ${rung}`}`)
      .join(", ");
    logLine(
      `incident api=${api ?? "?"} ` +
        `session=${sessionId ?? "?"} ${what}; ${outcome}${archive === undefined ? "" : `, archive ${archive}`}`,
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
        `integrity-incident-${timeInFileName(at)}`,
        `${JSON.stringify(record, null, 2)}\n`,
      );
    } catch (error) {
      logFailure("incident record", error, "no file was written for the incident that is logged above");
    }
  }
}

/** Returns from an error text what a provider's support asks for: the request id and the HTTP status. */
function readTrace(text: string): { requestId?: string; status?: number } {
  const requestId = /"request_id"\s*:\s*"([\w.:-]{1,100})"|\b(req_[\w-]{1,100})/.exec(text);
  const status = /\b([45]\d\d)\b/.exec(text)?.[1];
  return {
    ...(requestId && { requestId: requestId[1] ?? requestId[2]! }),
    ...(status !== undefined && { status: Number(status) }),
  };
}
