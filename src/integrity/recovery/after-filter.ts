import { afterStop } from "../../recovery/after-stop.ts";
import type { FilteredPart } from "../../recovery/failure.ts";
import { findNewest, withoutNewest, withoutRefused } from "../../recovery/withhold.ts";
import { isObject } from "../../transcript/json/json.ts";
import { isUserMessage } from "../../transcript/read.ts";
import type { Attempt } from "./attempt.ts";
import { resultsIn } from "../messages/calls.ts";
import type { Core } from "../base/core.ts";
import type { SessionMemory } from "../base/session-memory.ts";
import { mend } from "../repair/mend.ts";
import type { ErrorRecovery } from "../messages/results.ts";
import { truncateTo } from "./rollback.ts";
import type { Session } from "../base/session.ts";

/**
 * Handles a content filter's stop. Content that it refused is never sent again, and nothing before the last answer is
 * changed: results of tools since then are replaced by a note in the history, and the user's words since then are
 * removed from the path. With `guardCall` the request is made again when something else can be left out. What was there
 * before stays stored.
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
  const end = endOfTurn(core, session, attempt);
  const partial = await truncateTo(session, end);
  // The answer was stopped in the middle: the first time, the messages before it may not be the reason.
  if (partial > 0 && part !== "prompt" && part !== "refusal" && memory.stops === 0)
    return stopped(memory, part, what, partial);
  const { messages } = session;
  const withoutResults = withoutNewest(messages as unknown[], "results");
  if (withoutResults !== messages) {
    // Without `autoRepair` no result may be replaced.
    if (!core.config.autoRepair)
      return {
        action: "escalate",
        message: `The provider's content filter ${what}, and the last messages contain results of tools.`,
        details: { part },
      };
    await session.replaceMessages(withoutResults);
    if (attempt) attempt.withResults = messages;
    const message =
      `The provider's content filter ${what}. The results of the last tool calls are no longer sent; they stay ` +
      "stored. Please send it again.";
    return { action: "repaired", message, details: { part, rung: "without_results" } };
  }
  if (attempt && !attempt.leavesHistory) {
    const sent = withoutRefused(messages as unknown[], "all");
    const stop = {
      part,
      begun: false,
      isSilent: false,
      messages: sent,
    };
    const decision = afterStop(stop, { mayResend: attempt.tries.mayResend, wasStopped: false });
    if (decision.do === "resend" && decision.leaves === "history") {
      attempt.leavesHistory = true;
      // The request without them was refused too: they are not known to be the reason.
      if (attempt.withResults) await session.replaceMessages(attempt.withResults);
      attempt.withResults = undefined;
      const next = "The request is sent again without the earlier conversation.";
      const message = `The provider's content filter ${what}. ${next}`;
      return { action: "repaired", message, details: { part, rung: "without_history" } };
    }
  }
  const removed = (await removeWords(session)) + partial;
  if (removed > 0) return stopped(memory, part, what, removed);
  memory.stops++;
  const repaired = await mend(core, session);
  const message =
    `The provider's content filter ${what}, and there are no messages since the last answer to remove. Please say ` +
    "it in another way.";
  return { action: repaired ? "repaired" : "escalate", message, details: { part } };
}

function stopped(memory: SessionMemory, part: FilteredPart, what: string, messagesRemoved: number): ErrorRecovery {
  memory.stops++;
  const message =
    `The provider's content filter ${what}. The conversation was rolled back by ${count(messagesRemoved)}; the ` +
    "results of tools stay. Please say it in another way.";
  return { action: "rolled_back", message, details: { part, messagesRemoved } };
}

/** Returns the end of the refused turn, without the assistant messages of the failed call: they are not an answer. */
function endOfTurn(core: Core, session: Session, attempt: Attempt | undefined): number {
  const { messages } = session;
  const base = attempt ? attempt.base.end : (core.underWay(session)?.messageIndex ?? messages.length);
  let end = messages.length;
  while (end > base && isObject(messages[end - 1]) && (messages[end - 1] as { role?: unknown }).role === "assistant")
    end--;
  return end;
}

/**
 * Removes the user's words since the last answer from the path; returns how many messages. In messages that also hold
 * results the words are replaced.
 */
async function removeWords(session: Session): Promise<number> {
  const messages = session.messages as unknown[];
  const from = findNewest(messages);
  const remaining = withoutNewest(messages, "all").filter(
    (message, at) => at < from || resultsIn(message).length > 0 || !isUserMessage(messages[at]),
  );
  const isChanged = remaining.length < messages.length || remaining.some((message, at) => message !== messages[at]);
  if (!isChanged) return 0;
  const same = remaining.findIndex((message, at) => message !== messages[at]);
  const removed = messages.length - (same < 0 ? remaining.length : same);
  if (same < 0) await truncateTo(session, remaining.length);
  else await session.replaceMessages(remaining);
  return removed;
}

export function count(messages: number): string {
  return messages === 1 ? "1 message" : `${messages} messages`;
}
