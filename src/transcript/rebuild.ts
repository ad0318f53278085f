import { isBlank } from "./json/json.ts";
import { freshId } from "./json/hash.ts";
import { isDeadCall } from "./analyse.ts";
import { chosenResult, type CallRef, type ResultRef } from "./pairing.ts";
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
import { isCleanBlock, isEmptyMessage, REPLAYED_NAME, type Message } from "./clean.ts";
import { doubtfulCallText, interruptedCallText, plainText, RECONSTRUCTED_TOOL, UNKNOWN_OUTCOME } from "./json/text.ts";

/**
 * Returns the assistant message with the new ids of its calls and without calls that are not sent; empty when nothing
 * is left. A failed turn in which a tool has run is marked as finished: the adapters would leave out the turn, and the
 * result would have no call. For doubtful calls of a failed turn a message with their text follows.
 */
export function rewriteAssistant(
  message: Message,
  { messages, calls, ids }: Pick<Frame, "messages" | "calls" | "ids">,
): Message[] {
  const byBlock = new Map(calls.map((call) => [call.block, call]));
  const alive = calls.some((call) => !isDeadCall(call));
  const failed = isFailedTurn(message);
  // A failed turn is not sent: the text on its doubtful calls must be a message of its own behind the turn.
  const textBehind = failed && !alive && calls.some(isDoubtful) ? [doubtfulMessage(message, calls, messages)] : [];
  const content = (message.content as unknown[]).flatMap((block, at) => {
    const call = byBlock.get(at);
    if (!call) return [block];
    if (isDoubtful(call) && textBehind.length === 0)
      return [{ type: "text", text: doubtfulText(blockOf(message, call), call, messages) }];
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

/** True for a call that is not sent as a call, but has a result that a tool may have returned. */
export function isDoubtful(call: CallRef): boolean {
  return isDeadCall(call) && call.results.some(({ origin }) => origin === "doubtful");
}

function doubtfulText(block: Message, call: CallRef, messages: readonly Message[]): string {
  const sources = call.results
    .filter(({ origin }) => origin === "doubtful")
    .map((result) => sourceOf(result, messages));
  const recorded = new Set(
    sources.filter((source) => !addsNothing(source)).map((source) => plainText(readResult(source).content)),
  );
  return doubtfulCallText({
    name: call.name,
    input: call.partial ? undefined : readCall(block).arguments,
    recorded: recorded.size === 0 ? undefined : [...recorded].join("\n"),
  });
}

/**
 * Returns the text on a failed turn's doubtful calls as a message of its own, without the turn's other content, which a
 * content filter may have stopped.
 */
function doubtfulMessage(message: Message, calls: readonly CallRef[], messages: readonly Message[]): Message {
  const fields = Object.entries(message).filter(([name]) => !name.startsWith("error"));
  const content = calls
    .filter(isDoubtful)
    .map((call) => ({ type: "text", text: doubtfulText(blockOf(message, call), call, messages) }));
  return { ...Object.fromEntries(fields), content, stopReason: "stop" };
}

function blockOf({ content }: Message, { block }: CallRef): Message {
  return (content as unknown[])[block] as Message;
}

/** Returns the message or block of a result. */
function sourceOf({ message, block }: ResultRef, messages: readonly Message[]): Message {
  const stored = messages[message]!;
  return block === -1 ? stored : ((stored.content as unknown[])[block] as Message);
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
export function frameMessages(frame: Frame): Message[] {
  const { messages, index, calls, ids } = frame;
  const answered = calls
    .filter((call) => call.results.length > 0)
    .map((call) => ({ call, chosen: chosenResult(call)! }))
    .toSorted((a, b) => order(a.chosen, b.chosen));
  const asMessages: Message[] = [];
  const asBlocks: { block: unknown; from: number }[] = [];
  for (const { call, chosen } of answered) {
    const source = sourceOf(chosen, messages);
    const id = ids.get(call)!;
    if (chosen.block === -1) asMessages.push(withExtras(withResultId(source, id, "toolCallId"), call, messages));
    else
      asBlocks.push({
        block: withExtras(withResultId(source, id, "tool_use_id"), call, messages),
        from: chosen.message,
      });
  }
  const assistant = messages[index]!;
  for (const call of calls) {
    if (call.results.length > 0) continue;
    const block = (assistant.content as unknown[])[call.block] as Message;
    if (block.type === "toolCall") asMessages.push(missingResult(call, ids.get(call)!, assistant));
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
function withExtras(result: Message, call: CallRef, messages: readonly Message[]): Message {
  if (call.results.length < 2) return result;
  const chosen = chosenResult(call)!;
  const said = new Set([plainText(readResult(result).content)]);
  const extras: unknown[] = [];
  for (const other of call.results) {
    const source = sourceOf(other, messages);
    if (other === chosen || addsNothing(source)) continue;
    const content = readResult(source).content;
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
export function withoutBlocks(message: Message, results: readonly ResultRef[]): Message | undefined {
  if (results.length === 0) return message;
  if (results.some((result) => result.block === -1)) return undefined;
  const gone = new Set(results.map((result) => result.block));
  const content = (message.content as unknown[]).filter((_, at) => !gone.has(at));
  const rest: Message = { ...message, content };
  return isEmptyMessage(rest) ? undefined : rest;
}

/** Makes a placeholder for the lost call of an orphaned result; returns the call and the result behind it. */
export function placeholderCall(message: Message, orphan: ResultRef, taken: Set<string>): Message[] {
  const stored = orphan.block === -1 ? message : ((message.content as unknown[])[orphan.block] as Message);
  const free = isUsableId(orphan.id) && !taken.has(orphan.id);
  const id = free ? (orphan.id as string) : freshId(idKey(orphan.id), orphan.message, taken);
  taken.add(id);
  // Under a name that OpenClaw does not replay, the call would be dropped again.
  const name = typeof orphan.name === "string" && REPLAYED_NAME.test(orphan.name) ? orphan.name : RECONSTRUCTED_TOOL;
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
    { role: "user", content: [withResultId(stored, id, "tool_use_id")], ...timestamp },
  ];
}
