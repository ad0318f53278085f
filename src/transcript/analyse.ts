import { groupBy } from "../base/group-by.ts";
import { idKey, isCallBlock, isUsableId, readCall } from "./read.ts";
import type { Message } from "./look.ts";
import type { Spelling } from "./options.ts";
import { chosenResult, isDeadCall, pair, type Pairing, type ResultRef } from "./pairing.ts";
import { shapeMessage } from "./shape.ts";
import type { Violation, ViolationKind } from "./violations.ts";

/** A history in known roles and blocks, with its pairing and the violations of the given history. */
export interface Analysis {
  messages: Message[];
  /** By index in `messages`: the index in the given history. */
  origins: number[];
  pairing: Pairing;
  violations: Violation[];
}

/** Shapes and pairs a history, and lists every violation in the order of the messages. */
export function analyse(history: readonly unknown[], spelling: Spelling): Analysis {
  const violations: Violation[] = [];
  const report = (kind: ViolationKind, messageIndex: number, blockIndex: number, id?: unknown): void => {
    violations.push({ kind, messageIndex, blockIndex, id: idKey(id) });
  };
  const messages: Message[] = [];
  const origins: number[] = [];
  // By index, so that holes are seen too.
  for (let index = 0; index < history.length; index++) {
    for (const shaped of shapeMessage(history[index], spelling, (kind, block) => report(kind, index, block))) {
      messages.push(shaped);
      origins.push(index);
    }
  }
  const pairing = pair(messages);
  const seen = new Set<string>();
  for (const call of pairing.calls) {
    const at = (kind: ViolationKind): void => report(kind, origins[call.message]!, call.block, call.id);
    const key = idKey(call.id);
    if (call.failed) at("skipped_tool_call");
    // Cut off while it was streamed, and without a real result.
    else if (isDeadCall(call)) at("incomplete_tool_call");
    else if (call.results.length === 0) at("missing_tool_result");
    if (key === "") at("empty_id");
    else if (!isUsableId(call.id)) at("invalid_id");
    else if (seen.has(key)) at("duplicate_tool_call_id");
    seen.add(key);
  }
  for (const [message, blocks] of pairing.copies)
    for (const block of blocks) {
      const stored = (messages[message]!.content as unknown[])[block];
      if (isCallBlock(stored)) report("duplicate_tool_call_id", origins[message]!, block, readCall(stored).id);
    }
  const inPlace = findResultsInPlace(messages, pairing);
  for (const call of pairing.calls) {
    const chosen = chosenResult(call);
    for (const result of call.results) {
      const at = (kind: ViolationKind): void => report(kind, origins[result.message]!, result.block, result.id);
      if (result !== chosen) at("duplicate_tool_result");
      else if (idKey(result.id) === "") at("empty_id");
      else if (!isUsableId(result.id) || result.id !== call.id) at("invalid_id");
      if (result === chosen && !inPlace.has(result)) at("displaced_tool_result");
    }
  }
  for (const result of pairing.orphans)
    report("orphaned_tool_result", origins[result.message]!, result.block, result.id);
  violations.sort((a, b) => a.messageIndex - b.messageIndex || a.blockIndex - b.blockIndex);
  return { messages, origins, pairing, violations };
}

/** Returns the results that are where the APIs require them: directly behind the message of their call. */
function findResultsInPlace(messages: readonly Message[], pairing: Pairing): Set<ResultRef> {
  const byMessage = groupBy(
    pairing.calls.flatMap((call) => call.results),
    ({ message }) => message,
  );
  const inPlace = new Set<ResultRef>();
  for (const owner of new Set(pairing.calls.map((call) => call.message))) {
    for (let at = owner + 1; at < messages.length; at++) {
      if (pairing.background.has(at)) continue;
      const results = byMessage.get(at) ?? [];
      if (messages[at]!.role !== "toolResult" && messages[at]!.role !== "user") break;
      results.sort((a, b) => a.block - b.block);
      // In a user message, result blocks must come first.
      const head = results.filter(
        (result, index) => result.call!.message === owner && (result.block === -1 || result.block === index),
      );
      for (const result of head) inPlace.add(result);
      if (messages[at]!.role === "user" || head.length === 0) break;
    }
  }
  return inPlace;
}
