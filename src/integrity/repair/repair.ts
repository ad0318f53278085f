import type { RepairStrategy } from "../../transcript/repair.ts";
import { readCall, readResult } from "../../transcript/read.ts";
import { callBlocks, callsOfHistory, resultsIn } from "../messages/calls.ts";
import type { Core } from "../base/core.ts";
import { assertWord } from "../base/bad-input.ts";
import { tallyKinds } from "../../observe/events.ts";
import { repairIn } from "../messages/native.ts";
import { recover } from "./recover.ts";
import type { RepairAction, RepairResult } from "../messages/results.ts";
import type { Session } from "../base/session.ts";

const STRATEGIES: readonly RepairStrategy[] = ["remove_orphans", "reconstruct", "truncate"];

/** Options of repair. */
export interface RepairSessionOptions {
  /** What to do with results without a call; `remove_orphans` by default. */
  strategy?: RepairStrategy;
}

/**
 * Makes the history valid: first completes interrupted calls from the journal, then applies the rules. See
 * SessionIntegrity.repair.
 */
export async function repair(
  core: Core,
  session: Session,
  { strategy = "remove_orphans" }: RepairSessionOptions = {},
): Promise<RepairResult> {
  assertWord("a strategy", strategy, STRATEGIES);
  const since = performance.now();
  const payload = () => ({ sessionId: session.id, gate: "session", messages: session.messages.length }) as const;
  core.emit("l0:repair:start", payload);
  const { recovered = [] } = (await core.degrade("Recovery after a crash", [], () => recover(core, session))) ?? {};
  const places = lastPlaces(session.messages);
  const completed = recovered
    .filter(({ stored }) => stored)
    .map(({ callId }): RepairAction => {
      return {
        action: "completed_cycle",
        kind: "interrupted_cycle",
        messageIndex: places.get(callId) ?? -1,
        blockIndex: -1,
        id: callId,
        toolUseId: callId,
      };
    });
  // Calls that are running in this process get their results when their tools return.
  const end = core.liveIn(session) > 0 ? findOpenEnd(session.messages) : session.messages.length;
  const outcome = repairIn(session.format, session.messages.slice(0, end), { strategy });
  if (outcome.repaired) await session.replaceMessages([...outcome.messages, ...session.messages.slice(end)]);
  const repairs = [...completed, ...outcome.repairs.map((each): RepairAction => ({ ...each, toolUseId: each.id }))];
  core.emit("l0:repair:complete", payload, { since, kinds: tallyKinds(repairs.map(({ kind }) => kind)) });
  return { repaired: repairs.length > 0, repairs, messages: session.messages };
}

/** Returns for each call id the last message with its call or result. */
function lastPlaces(messages: readonly unknown[]): Map<unknown, number> {
  const places = new Map<unknown, number>();
  messages.forEach((message, at) => {
    for (const block of callBlocks(message)) places.set(readCall(block).id, at);
    for (const result of resultsIn(message)) places.set(readResult(result).id, at);
  });
  return places;
}

/** Returns the index of the message whose calls are the open end of the history; its length when there are none. */
function findOpenEnd(messages: readonly unknown[]): number {
  return callsOfHistory(messages).openEnd.size === 0
    ? messages.length
    : messages.findLastIndex((message) => callBlocks(message).length > 0);
}
