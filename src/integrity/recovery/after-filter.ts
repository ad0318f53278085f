import { afterStop } from "../../recovery/after-stop.ts";
import type { FilteredPart } from "../../recovery/failure.ts";
import { newestFrom, withoutNewest, withoutRefused } from "../../recovery/stopped.ts";
import { isObject } from "../../transcript/json/json.ts";
import type { Attempt } from "./attempt.ts";
import { resultsIn } from "../messages/calls.ts";
import type { Core } from "../base/core.ts";
import type { SessionMemory } from "../base/memory.ts";
import { mend } from "../repair/mend.ts";
import type { ErrorRecovery } from "../messages/results.ts";
import { takeBackTo } from "./rollback.ts";
import type { Session } from "../base/session.ts";

/**
 * What is done about a content filter. What it refused is never sent again, and nothing behind an answer is touched:
 * results of tools since the last answer stand in the history as a word on them, and a person's words since then are
 * taken back. Through `guardCall` the request is made again where something else can be left out. What was there before
 * stays stored.
 */
export async function afterFilter(
  core: Core,
  session: Session,
  part: FilteredPart,
  attempt?: Attempt,
): Promise<ErrorRecovery> {
  const memory = core.memory(session);
  const what =
    part === "answer" ? "stopped the answer" : part === "prompt" ? "refused what was sent" : "stopped this turn";
  const said = endOfTurn(core, session, attempt);
  const half = await takeBackTo(session, said);
  // An answer was stopped in the middle: what it answers need not be the reason the first time.
  if (half > 0 && part !== "prompt" && part !== "refusal" && memory.stops === 0)
    return stopped(memory, part, what, half);
  const { messages } = session;
  const left = withoutNewest(messages as unknown[], "results");
  if (left !== messages) {
    // Who wants nothing repaired wants no result replaced.
    if (!core.config.autoRepair)
      return {
        action: "escalate",
        message: `The provider's content filter ${what}, and results of tools are among what was sent last.`,
        details: { part },
      };
    await session.replaceMessages(left);
    if (attempt) attempt.leavesResults = true;
    const message = `The provider's content filter ${what}. The results of the last tool calls are no longer sent; they stay stored. Please send it again.`;
    return { action: "repaired", message, details: { part, rung: "without_results" } };
  }
  if (attempt && !attempt.leavesHistory) {
    const sent = withoutRefused(messages as unknown[]);
    const stop = {
      part,
      begun: false,
      isSilent: false,
      messages: sent,
      isTaken: () => !memory.isHistoryFiltered,
      refusedInARow: () => memory.stops,
    };
    const decision = afterStop(stop, { mayResend: attempt.mayResend, wasStopped: false, isWithoutEarlier: true });
    if (decision.do === "resend" && decision.leaves === "history") {
      attempt.leavesHistory = true;
      const message = `The provider's content filter ${what}. It is sent again without what was said before.`;
      return { action: "repaired", message, details: { part, rung: "without_history" } };
    }
  }
  const removed = (await takeBackWords(session)) + half;
  if (removed > 0) return stopped(memory, part, what, removed);
  memory.stops++;
  const repaired = await mend(core, session);
  const message = `The provider's content filter ${what}, and there is nothing that was said since the last answer. Please say it in another way.`;
  return { action: repaired ? "repaired" : "escalate", message, details: { part } };
}

function stopped(memory: SessionMemory, part: FilteredPart, what: string, messagesRemoved: number): ErrorRecovery {
  memory.stops++;
  const message = `The provider's content filter ${what}. The conversation was taken back by ${count(messagesRemoved)}; what tools have done stays. Please say it in another way.`;
  return { action: "rolled_back", message, details: { part, messagesRemoved } };
}

/** Where the turn ends that was refused: what a call that failed has said itself is no answer. */
function endOfTurn(core: Core, session: Session, attempt: Attempt | undefined): number {
  const { messages } = session;
  const base = attempt ? attempt.base.end : (core.underWay(session)?.messageIndex ?? messages.length);
  let end = messages.length;
  while (end > base && isObject(messages[end - 1]) && (messages[end - 1] as { role?: unknown }).role === "assistant")
    end--;
  return end;
}

/**
 * Takes back what persons have said since the last answer; how many messages. Where results stand in the same message
 * the words are replaced.
 */
async function takeBackWords(session: Session): Promise<number> {
  const messages = session.messages as unknown[];
  const from = newestFrom(messages);
  const left = withoutNewest(messages, "all").filter(
    (message, at) => at < from || resultsIn(message).length > 0 || !isUser(messages[at]),
  );
  const isChanged = left.length < messages.length || left.some((message, at) => message !== messages[at]);
  if (!isChanged) return 0;
  const same = left.findIndex((message, at) => message !== messages[at]);
  const removed = messages.length - (same < 0 ? left.length : same);
  if (same < 0) await takeBackTo(session, left.length);
  else await session.replaceMessages(left);
  return removed;
}

function isUser(message: unknown): boolean {
  return isObject(message) && message.role === "user";
}

export function count(messages: number): string {
  return messages === 1 ? "1 message" : `${messages} messages`;
}
