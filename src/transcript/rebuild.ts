import { groupBy } from "../base/group-by.ts";
import { isBlank } from "./json/json.ts";
import { freshId } from "./json/hash.ts";
import type { Analysis } from "./analyse.ts";
import { chosenResult, isDeadCall, isDoubtful, type CallRef, type ResultRef } from "./pairing.ts";
import { addsNothing } from "./invented.ts";
import { marked } from "./origin.ts";
import {
  idKey,
  isFailedTurn,
  isUsableId,
  readCall,
  readResult,
  withCallId,
  withResultContent,
  withResultId,
} from "./read.ts";
import { isCleanBlock, isEmptyMessage, isReplayedName, type Message } from "./look.ts";
import { doubtfulCallText, interruptedCallText, plainText, RECONSTRUCTED_TOOL, UNKNOWN_OUTCOME } from "./json/text.ts";

/** Rebuilds the history: every call with its result behind it, everything else where it was. */
export function rebuild({ messages, pairing }: Analysis, reconstructed: ReadonlySet<ResultRef>): Message[] {
  const ids = assignIds(pairing.calls);
  const callsAt = groupBy(pairing.calls, ({ message }) => message);
  const resultsAt = groupBy(
    [...pairing.calls.flatMap((call) => call.results), ...pairing.orphans],
    ({ message }) => message,
  );
  const takenIds = new Set(ids.values());
  const settled = new Set<number>();
  return messages.flatMap((message, index) => {
    if (message.role === "assistant") {
      const copies = pairing.copies.get(index);
      const calls = callsAt.get(index) ?? [];
      if (calls.length === 0 && !copies) return [message];
      const answered = calls.filter((call) => !isDeadCall(call));
      const turns = rewriteAssistant(message, { calls, copies }, ids);
      if (answered.length === 0) return turns;
      return [...turns, ...frameMessages({ messages, index, calls: answered, ids, resultsAt, settled })];
    }
    const results = resultsAt.get(index) ?? [];
    const placed = results.flatMap((result) =>
      reconstructed.has(result) ? placeholderCall(message, result, takenIds) : [],
    );
    const rest = settled.has(index) ? undefined : withoutBlocks(message, results);
    return rest ? [...placed, rest] : placed;
  });
}

/** Assigns new ids to calls whose id cannot be sent or was used before; all other calls keep theirs. */
function assignIds(calls: readonly CallRef[]): Map<CallRef, string> {
  const takenIds = new Set<string>();
  for (const call of calls) if (isUsableId(call.id)) takenIds.add(call.id);
  const ids = new Map<CallRef, string>();
  const uses = new Map<string, number>();
  for (const call of calls) {
    const key = idKey(call.id);
    const occurrence = uses.get(key) ?? 0;
    uses.set(key, occurrence + 1);
    const keep = isUsableId(call.id) && occurrence === 0;
    ids.set(call, keep ? (call.id as string) : freshId(key, occurrence, takenIds));
  }
  return ids;
}

/**
 * Returns the assistant message with the new ids of its calls and without copies and calls that are not sent; empty when nothing
 * is left. A failed turn in which a tool has run is marked as finished: the adapters would leave out the turn, and the
 * result would have no call. For doubtful calls of a failed turn a message with their text follows.
 */
function rewriteAssistant(
  message: Message,
  { calls, copies }: { calls: readonly CallRef[]; copies: ReadonlySet<number> | undefined },
  ids: ReadonlyMap<CallRef, string>,
): Message[] {
  const byBlock = new Map(calls.map((call) => [call.block, call]));
  const alive = calls.some((call) => !isDeadCall(call));
  const failed = isFailedTurn(message);
  // A failed turn is not sent: the text on its doubtful calls must be a message of its own behind the turn.
  const textBehind = failed && !alive && calls.some(isDoubtful) ? [doubtfulMessage(message, calls)] : [];
  const content = (message.content as unknown[]).flatMap((block, at) => {
    const call = byBlock.get(at);
    if (!call) return copies?.has(at) ? [] : [block];
    if (isDoubtful(call) && textBehind.length === 0) return [{ type: "text", text: doubtfulText(call) }];
    if (isDeadCall(call)) {
      // A failed turn without a live call stays a failed turn: OpenClaw has its own text for such a turn.
      return failed && !alive ? [] : [{ type: "text", text: interruptedCallText(call.name) }];
    }
    const stored = block as Message;
    if (ids.get(call) === call.id && !call.partial) return [stored];
    const { partialJson: _cut, ...whole } = stored;
    return [withCallId(whole, ids.get(call))];
  });
  if (!failed && sameItems(content, message.content as unknown[])) return [message];
  const rewritten: Message = { ...message, content };
  if (failed && alive) {
    rewritten.stopReason = "toolUse";
    delete rewritten.errorMessage;
  } else if (!alive && rewritten.stopReason === "toolUse") rewritten.stopReason = "stop";
  return isEmptyMessage(rewritten) ? textBehind : [rewritten, ...textBehind];
}

function doubtfulText(call: CallRef): string {
  const recorded = new Set(
    call.results
      .filter(({ origin, source }) => origin === "doubtful" && !addsNothing(source))
      .map(({ source }) => plainText(readResult(source).content)),
  );
  return doubtfulCallText({
    name: call.name,
    input: call.partial ? undefined : readCall(call.source).arguments,
    recorded: recorded.size === 0 ? undefined : [...recorded].join("\n"),
  });
}

/**
 * Returns the text on a failed turn's doubtful calls as a message of its own, without the turn's other content, which a
 * content filter may have stopped.
 */
function doubtfulMessage(message: Message, calls: readonly CallRef[]): Message {
  const fields = Object.entries(message).filter(([name]) => !name.startsWith("error"));
  const content = calls.filter(isDoubtful).map((call) => ({ type: "text", text: doubtfulText(call) }));
  return { ...Object.fromEntries(fields), content, stopReason: "stop" };
}

interface Frame {
  messages: readonly Message[];
  /** Index of the assistant message. */
  index: number;
  /** The calls of this message that are sent. */
  calls: readonly CallRef[];
  ids: Map<CallRef, string>;
  /** All results, by the index of their message. */
  resultsAt: Map<number, ResultRef[]>;
  /** Indices of messages that are in the output already; {@link frameMessages} adds those that it has placed whole. */
  settled: Set<number>;
}

/**
 * Returns the messages behind an assistant message: one result for each of its calls, in stored order, missing ones
 * last. Result messages come first; result blocks of user messages follow in one user message.
 */
function frameMessages(frame: Frame): Message[] {
  const { messages, index, calls, ids } = frame;
  const answered = calls
    .filter((call) => call.results.length > 0)
    .map((call) => ({ call, chosen: chosenResult(call)! }))
    .toSorted((a, b) => order(a.chosen, b.chosen));
  const asMessages: Message[] = [];
  const asBlocks: { block: unknown; from: number }[] = [];
  for (const { call, chosen } of answered) {
    const { source, message: from } = chosen;
    const id = ids.get(call)!;
    if (chosen.block === -1) asMessages.push(withExtras(withResultId(source, id, "toolCallId"), call, chosen));
    else asBlocks.push({ block: withExtras(withResultId(source, id, "tool_use_id"), call, chosen), from });
  }
  const assistant = messages[index]!;
  for (const call of calls) {
    if (call.results.length > 0) continue;
    if (call.source.type === "toolCall") asMessages.push(missingResult(call, ids.get(call)!, assistant));
    else {
      const result = { type: "tool_result", tool_use_id: ids.get(call), content: UNKNOWN_OUTCOME, is_error: true };
      asBlocks.push({ block: result, from: -1 });
    }
  }
  return asBlocks.length === 0 ? asMessages : [...asMessages, ...blockMessage(frame, asBlocks)];
}

/** Returns one user message for result blocks: the stored one, with its text, where it directly follows the calls. */
function blockMessage(
  { messages, index, resultsAt, settled }: Frame,
  results: { block: unknown; from: number }[],
): Message[] {
  const blocks = results.map((result) => result.block);
  let next = index + 1;
  while (messages[next]?.role === "toolResult") next++;
  const owner = messages[next];
  if (owner?.role === "user" && results.some((result) => result.from === next)) {
    settled.add(next);
    const rest = withoutBlocks(owner, resultsAt.get(next) ?? []);
    const content = [...blocks, ...((rest?.content as unknown[] | undefined) ?? [])];
    return [sameItems(content, owner.content as unknown[]) ? owner : { ...owner, content }];
  }
  const stored = results.find((result) => result.from >= 0);
  const timestamp = (stored ? messages[stored.from]! : messages[index]!).timestamp;
  return [{ role: "user", content: blocks, ...(timestamp === undefined ? {} : { timestamp }) }];
}

function order(a: ResultRef, b: ResultRef): number {
  return a.message - b.message || a.block - b.block;
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}

/** Makes the missing result of a call, in OpenClaw's form and with the call's time: this room reads no clock. */
function missingResult(call: CallRef, id: string, assistant: Message): Message {
  const result: Message = {
    role: "toolResult",
    toolCallId: id,
    toolName: call.name,
    content: [{ type: "text", text: UNKNOWN_OUTCOME }],
    isError: true,
    ...(assistant.timestamp === undefined ? {} : { timestamp: assistant.timestamp }),
  };
  return marked(result, { result: "unknown" });
}

/** Adds the content of further results of the same call that the chosen result does not have. */
function withExtras(result: Message, call: CallRef, chosen: ResultRef): Message {
  if (call.results.length < 2) return result;
  const said = new Set([plainText(readResult(result).content)]);
  const extras: unknown[] = [];
  for (const other of call.results) {
    if (other === chosen || addsNothing(other.source)) continue;
    const { content } = readResult(other.source);
    const text = plainText(content);
    if (said.has(text)) continue;
    said.add(text);
    extras.push({ type: "text", text: "[A further result that was recorded for the same call:]" });
    const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
    if (blocks.length > 0 && blocks.every((block) => isCleanBlock(block, "toolResult", "openclaw")))
      for (const block of blocks) extras.push(block);
    else if (!isBlank(text)) extras.push({ type: "text", text });
  }
  if (extras.length === 0) return result;
  const { content } = readResult(result);
  const first = Array.isArray(content) ? (content as unknown[]) : [{ type: "text", text: plainText(content) }];
  return withResultContent(result, [...first, ...extras]);
}

/** Returns the message without its result blocks; the same message when it has none, undefined when nothing is left. */
function withoutBlocks(message: Message, results: readonly ResultRef[]): Message | undefined {
  if (results.length === 0) return message;
  if (results.some((result) => result.block === -1)) return undefined;
  const removed = new Set(results.map((result) => result.block));
  const content = (message.content as unknown[]).filter((_, at) => !removed.has(at));
  const rest: Message = { ...message, content };
  return isEmptyMessage(rest) ? undefined : rest;
}

/** Makes a placeholder for the lost call of an orphaned result; returns the call and the result behind it. */
function placeholderCall(message: Message, orphan: ResultRef, takenIds: Set<string>): Message[] {
  const free = isUsableId(orphan.id) && !takenIds.has(orphan.id);
  const id = free ? (orphan.id as string) : freshId(idKey(orphan.id), orphan.message, takenIds);
  takenIds.add(id);
  // Under a name that OpenClaw does not replay, the call would be dropped again.
  const name = isReplayedName(orphan.name) ? orphan.name : RECONSTRUCTED_TOOL;
  const timestamp = message.timestamp === undefined ? {} : { timestamp: message.timestamp };
  if (orphan.block === -1) {
    const call = { type: "toolCall", id, name, arguments: {} };
    return [
      { role: "assistant", content: [call], stopReason: "toolUse", ...timestamp },
      withResultId(message, id, "toolCallId"),
    ];
  }
  const call = { type: "tool_use", id, name, input: {} };
  return [
    { role: "assistant", content: [call], ...timestamp },
    { role: "user", content: [withResultId(orphan.source, id, "tool_use_id")], ...timestamp },
  ];
}
