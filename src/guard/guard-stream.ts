import { Answer, type Hold } from "./recovery/answer.ts";
import { endsTurn } from "./recovery/endings.ts";
import { tellFailedCompaction } from "./failed-compaction.ts";
import { tellFailedTries } from "./tell-failed-tries.ts";
import { isEventStream } from "./openclaw/stream-events.ts";
import { CallRecovery } from "./recovery/call-recovery.ts";
import { logFailure } from "./base/log.ts";
import { noteForgotten } from "./history/forgotten.ts";
import { keepStoppedQuestion, noteUnanswered } from "./history/lost-messages.ts";
import { GuardedCall } from "./model-call.ts";
import { tellOutOfTime } from "./out-of-time.ts";
import { watchQueues } from "./inbox/queues.ts";
import { watchSteering } from "./inbox/steered.ts";
import { settleTaken } from "./inbox/waiting.ts";
import { Run } from "./recovery/run.ts";
import { pauseSearch, searchBeforeEnd, searchBehind } from "./recovery/search.ts";
import { isObject } from "../transcript/json/json.ts";
import { keepRetriedTurn } from "./cycles/retried-turn.ts";
import { watchRunEnd } from "./cycles/run-end.ts";
import type { GuardContext, GuardedSession, StreamFunction } from "./openclaw/session.ts";
import { isEnabled } from "./base/switch.ts";
import { StoredCalls } from "./cycles/stored-calls.ts";
import { watchAgent, watchTools } from "./cycles/watch-tools.ts";
import { guardSummaries } from "./summary/guard-summaries.ts";
import { startTravel } from "./travel/start.ts";
import { flushUnanswered } from "./history/unanswered.ts";

const GUARDED: unique symbol = Symbol.for("openclaw-integrity.guarded");

/**
 * Wraps `agent.streamFn`, once, with the wire gate and the recovery ladder: messages are prepared for the adapter, the
 * finished body is checked and healed in `onPayload`, and a refusal climbs the ladder before OpenClaw sees it. When the
 * gate itself fails, the request is sent unchanged.
 */
export function guardStream(session: GuardedSession, context: GuardContext): void {
  const { agent } = session;
  const inner = agent.streamFn;
  if (typeof inner !== "function" || GUARDED in inner) return;
  const run = new Run(session, context);
  guardSummaries(session, context, run);
  keepRetriedTurn(session);
  run.tellWindow();
  tellOutOfTime(session, context);
  keepStoppedQuestion(context);
  watchQueues(context);
  watchSteering(session, context);
  tellFailedCompaction(session, context);
  tellFailedTries(session, context);
  const { cycles } = run;
  let asked = false;
  const { sessionManager } = session;
  if (cycles) {
    watchAgent(agent, cycles, sessionManager);
    watchRunEnd(agent, cycles, String(context.sessionId), sessionManager);
  }
  agent.subscribe?.((event) => {
    if (!isObject(event) || event.type !== "agent_end" || run.endsRequests || !isEnabled()) return;
    const due = run.takeDueSearch();
    if (due) searchBehind(context.sessionId, run.memory, due);
  });
  const stored = new StoredCalls(sessionManager);
  const travel = startTravel(session, context, run);
  const guarded: StreamFunction = function (this: unknown, model, given, options) {
    pauseSearch(context.sessionId);
    if (!isEnabled()) return inner.call(this, model, given, options);
    const { signal } = context;
    // A run that is stopped in the moment before its first request goes on with nobody waiting for it, in early
    // releases.
    if (signal instanceof AbortSignal && signal.aborted)
      return inner.call(this, model, given, { ...(isObject(options) && options), signal });
    const call = new GuardedCall(agent, context, model, run, (next, nextOptions) =>
      inner.call(this, model, next, nextOptions),
    );
    if (cycles) watchTools(agent, { log: cycles, stored }, given);
    flushUnanswered(agent, session.sessionManager);
    if (cycles && !asked) noteUnanswered(String(context.sessionId), session.sessionManager, context.runId);
    if (!asked) settleTaken(context, session.sessionManager);
    asked = true;
    travel?.asked(given);
    noteForgotten(session, context, run.memory, given);
    call.prepare(given, options);
    return withRecovery(run, call, (message) => {
      const due = run.endsRequests && message && endsTurn(message) ? run.takeDueSearch() : undefined;
      const searched = due && searchBeforeEnd(context.sessionId, run.memory, due);
      const held = travel?.hold();
      return held && searched ? Promise.all([held, searched]).then(() => undefined) : (held ?? searched);
    });
  };
  Object.defineProperty(guarded, GUARDED, { value: true });
  agent.streamFn = guarded;
}

/**
 * Sends the first request and puts its stream under the ladder. Returns a stream or a promise of one, as OpenClaw's own
 * function does; throws what the request threw when the ladder passes that error on.
 */
function withRecovery(run: Run, call: GuardedCall, hold: Hold): unknown {
  const recovered = (stream: unknown): unknown =>
    isEventStream(stream) ? new Answer(stream, new CallRecovery(run, call), hold) : stream;
  const failed = (thrown: unknown): unknown => {
    const recovery = new CallRecovery(run, call);
    // Only an error that the ladder answers is turned into a stream; any other is thrown again.
    const step = decided(recovery, thrown);
    if (step.do === "pass") throw thrown;
    return new Answer(
      { thrown },
      {
        after: (ending, begun) =>
          "thrown" in ending && ending.thrown === thrown ? step : recovery.after(ending, begun),
      },
      hold,
    );
  };
  let first: unknown;
  try {
    first = call.first();
  } catch (thrown) {
    return failed(thrown);
  }
  return first instanceof Promise ? first.then(recovered, failed) : recovered(first);
}

function decided(recovery: CallRecovery, thrown: unknown): ReturnType<CallRecovery["after"]> {
  try {
    return recovery.after({ thrown }, false);
  } catch (error) {
    logFailure("recovery", error, "the error is passed on unchanged");
    return { do: "pass" };
  }
}
