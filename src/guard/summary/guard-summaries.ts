import { classify } from "../../recovery/errors/classify.ts";
import type { ProviderError, ProviderFailure } from "../../recovery/failure.ts";
import { logFailure, logLine } from "../base/log.ts";
import { sessionMemory, type SessionMemory } from "../base/memory.ts";
import { isEnabled } from "../base/switch.ts";
import type { GuardContext } from "../openclaw/session.ts";
import type { Run } from "../recovery/run.ts";
import { Compaction, type CompactingSession } from "./compaction.ts";
import { guardContinuation } from "./continuation.ts";
import { endInTime } from "./in-time.ts";
import { findAdapters } from "./summariser-calls.ts";

/** A summary that is not there when a compaction is stopped after so long is late, whoever has stopped it. */
const LATE_MS = 120_000;

/** How often less is given to the summariser after it refused a request as too large. */
const MAX_SHRINKS = 2;

/**
 * OpenClaw's codes for a response that is no answer: one of another type, as a proxy's page, and a stream that ends
 * before an answer does: neither connection nor load is at fault. Of the first code OpenClaw leaves the middle out, as
 * of a secret, where an SDK wraps the error.
 */
const NO_ANSWER = /^(?:invali(?:d_provider_content_|…)type|stream_incomplete)$/i;

type Attempt = () => Promise<unknown>;
type Outcome = { readonly value: unknown } | { readonly thrown: unknown };

/**
 * Makes sure that a compaction ends with something in place of what it takes away: where the model that is asked for a
 * summary refuses, answers nothing or too late, OpenClaw is given an extract. A summary that OpenClaw accepts, and that
 * says something, is stored as it is. What is due to keys, quota or money, and the first failure of load, stays
 * OpenClaw's: the summary may come the next time. Never throws what OpenClaw would not throw.
 */
export function guardSummaries(session: CompactingSession, context: GuardContext, run: Run): void {
  guardContinuation(session);
  const isLater = typeof session.runCompactionWork === "function";
  const names = isLater ? (["runCompactionWork"] as const) : (["compact", "_runAutoCompaction"] as const);
  if (!isLater) void findAdapters();
  for (const name of names) {
    const inner = session[name];
    if (typeof inner !== "function") continue;
    session[name] = (...given: unknown[]): Promise<unknown> => {
      const attempt: Attempt = async () => (await inner.apply(session, given)) as unknown;
      return isEnabled() && !run.summariser ? new Summary(session, context, run).made(attempt, given) : attempt();
    };
  }
}

/** One summary that OpenClaw asks for. */
class Summary {
  readonly #session: CompactingSession;
  readonly #context: GuardContext;
  readonly #run: Run;
  readonly #memory: SessionMemory;

  constructor(session: CompactingSession, context: GuardContext, run: Run) {
    this.#session = session;
    this.#context = context;
    this.#run = run;
    this.#memory = sessionMemory(context.sessionId);
  }

  async made(attempt: Attempt, given: readonly unknown[]): Promise<unknown> {
    let compaction: Compaction;
    try {
      compaction = new Compaction(this.#session, this.#context.sessionId, given);
    } catch (error) {
      logFailure("summary", error, "OpenClaw's compaction goes its own way");
      return attempt();
    }
    const run = this.#run;
    const { isFitted } = run;
    run.summariser = {};
    try {
      return takeValue(await this.#outcome(compaction, attempt));
    } finally {
      run.summariser = undefined;
      // The user is told of turns that were made to fit, not of a request for a summary.
      run.isFitted = isFitted;
      compaction.end();
    }
  }

  async #outcome(compaction: Compaction, attempt: Attempt): Promise<Outcome> {
    const memory = this.#memory;
    if (memory.isSummaryLate !== true) {
      const made = await this.#summary(compaction, attempt);
      if (made) return made;
    }
    memory.isSummaryLate = false;
    compaction.givesExtract = true;
    const outcome = await settled(attempt);
    if (compaction.hasStored) {
      if (!compaction.hasPart) memory.extract ??= "due";
      logLine(`compaction session=${this.#context.sessionId ?? "?"}: no summary was made; an extract is stored`);
    } else compaction.emitHeld();
    return outcome;
  }

  /** What comes of the model that is asked; undefined where it makes no summary. */
  async #summary(compaction: Compaction, attempt: Attempt): Promise<Outcome | undefined> {
    const memory = this.#memory;
    for (let tries = 1; ; tries++) {
      const since = Date.now();
      this.#run.summariser = {};
      const end = endInTime(compaction, this.#context.compactionTimeoutMs);
      const outcome = await settled(attempt).finally(end);
      if (compaction.hasStored) memory.failedSummaries = 0;
      // The turn has ended with it: the next one begins with the extract.
      memory.isSummaryLate = compaction.isStopped && !compaction.hasStored && Date.now() - since >= LATE_MS;
      if (!compaction.hasFailed) return outcome;
      if (compaction.isGivenUp) return undefined;
      const error = this.#findError(outcome, compaction);
      const kind = error && classify({ text: error.text }).kind;
      if (kind === "size" && tries <= MAX_SHRINKS && compaction.shrinks(error!.text, tries)) continue;
      if (this.#isFinal(kind, error)) return undefined;
      compaction.emitHeld();
      return outcome;
    }
  }

  #findError(outcome: Outcome, compaction: Compaction): ProviderError | undefined {
    const { error, isAnswered } = this.#run.summariser ?? {};
    // An error before an answer was recovered from.
    if (error && isAnswered !== true) return error;
    const text = compaction.heldError ?? ("thrown" in outcome ? String(outcome.thrown) : undefined);
    return text === undefined ? undefined : { text };
  }

  /** True where asking again will not help, or has not; an error that is not told may be one of load. */
  #isFinal(kind: ProviderFailure["kind"] | undefined, error: ProviderError | undefined): boolean {
    if (this.#run.summariser?.isAnswered === true) return true;
    if (kind === "access") return false;
    if (error?.code !== undefined && NO_ANSWER.test(error.code)) return true;
    const memory = this.#memory;
    memory.failedSummaries = (memory.failedSummaries ?? 0) + 1;
    return (kind !== undefined && kind !== "overload") || memory.failedSummaries > 1;
  }
}

async function settled(attempt: Attempt): Promise<Outcome> {
  try {
    return { value: await attempt() };
  } catch (thrown) {
    return { thrown };
  }
}

function takeValue(outcome: Outcome): unknown {
  if ("thrown" in outcome) throw outcome.thrown;
  return outcome.value;
}
