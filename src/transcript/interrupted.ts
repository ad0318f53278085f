import { isObject, type JsonObject } from "./json.ts";
import { idKey, isCallBlock, isResultBlock, isResultRole, readCall, readResult } from "./read.ts";
import { originOfResult } from "./invented.ts";
import { marked } from "./origin.ts";
import { INTERRUPTED_CALL, NOT_STARTED_CALL, plainText, UNKNOWN_OUTCOME } from "./text.ts";

/** What is known of a tool call that the transcript has no result of. */
export interface KnownOutcome {
  callId: string;
  toolName: string;
  /** True when the call in the history has this input; asked only where several calls share the id. */
  isInput?: (input: unknown) => boolean;
  outcome: { result: { content: unknown; details?: unknown; isError: boolean } } | "interrupted" | "not_started";
  /** When it was known, in milliseconds since 1970. */
  at: number;
}

interface Call {
  message: number;
  input: unknown;
  /** Whether a result that nobody invented stands behind it. */
  answered: boolean;
  /** Whether its result says no more than words of ours do: what the journal has recorded of the call tells more, or the very same. */
  inOurWords: boolean;
  /** Where a result stands that may give way to what is known: a message, or a block in one. */
  standIn?: { message: number; block: number };
}

/** What this project says in the place of a result. */
const OUR_WORDS: ReadonlySet<string> = new Set([UNKNOWN_OUTCOME, INTERRUPTED_CALL, NOT_STARTED_CALL]);

/**
 * The history with the outcome of each interrupted call behind the results of the message that made it: the real result where it is known, otherwise
 * plain words on whether it may have run. A call that has a real result is left alone. `answered` are the outcomes whose call has
 * one; of what has no call in the history nothing is said. The very list that was given when there is nothing to put in. Issue 5, item 2.
 */
export function withOutcomes<T extends KnownOutcome>(
  messages: readonly unknown[],
  outcomes: readonly T[],
): { messages: readonly unknown[]; placed: T[]; answered: T[] } {
  const placed: T[] = [];
  const answered: T[] = [];
  const inserted = new Map<number, unknown[]>();
  const replaced = new Map<number, unknown>();
  const messageAt = (at: number): unknown => replaced.get(at) ?? messages[at];
  const calls = outcomes.length === 0 ? new Map<string, Call[]>() : callsOf(messages);
  // The latest outcome of an id belongs to the latest call of that id.
  for (const known of outcomes.toReversed()) {
    const found = callOf(calls.get(known.callId) ?? [], known);
    if (!found) continue;
    const { standIn } = found;
    if (found.answered && !(found.inOurWords && standIn && typeof known.outcome !== "string")) answered.unshift(known);
    else {
      placed.unshift(known);
      if (standIn) replaced.set(standIn.message, withResult(messageAt(standIn.message), standIn.block, known));
      else {
        const at = lastResultBehind(messages, found.message);
        inserted.set(at, [resultMessage(known), ...(inserted.get(at) ?? [])]);
      }
    }
    const rest = calls.get(known.callId)!;
    rest.splice(rest.indexOf(found), 1);
  }
  if (placed.length === 0) return { messages, placed, answered };
  return { messages: messages.flatMap((message, at) => [replaced.get(at) ?? message, ...(inserted.get(at) ?? [])]), placed, answered };
}

/** The last of the result messages that follow this one without a gap; the message itself when there is none. */
function lastResultBehind(messages: readonly unknown[], at: number): number {
  let last = at;
  for (let next = messages[last + 1]; isObject(next) && isResultRole(next.role); next = messages[last + 1]) last++;
  return last;
}

function callOf(calls: readonly Call[], { isInput }: KnownOutcome): Call | undefined {
  const open = calls.filter(({ answered }) => !answered);
  const candidates = open.length > 0 ? open : calls;
  if (candidates.length < 2 || !isInput) return candidates.at(-1);
  return candidates.findLast(({ input }) => isInput(input)) ?? candidates.at(-1);
}

/** All calls by id, each with whether a real result stands behind it before the next call of that id. */
function callsOf(messages: readonly unknown[]): Map<string, Call[]> {
  const calls = new Map<string, Call[]>();
  messages.forEach((message, at) => {
    if (!isObject(message)) return;
    const blocks: unknown[] = Array.isArray(message.content) ? message.content : [];
    const isResult = isResultRole(message.role);
    (isResult ? [message] : blocks).forEach((source, block) => {
      if (!isObject(source) || (!isResult && !isResultBlock(source))) return;
      const { id, content } = readResult(source);
      const call = calls.get(idKey(id))?.at(-1);
      if (!call) return;
      const inOurWords = OUR_WORDS.has(plainText(content).trim());
      if (!call.answered) call.inOurWords = inOurWords;
      if (originOfResult(source) === "real") call.answered = true;
      if (originOfResult(source) !== "real" || inOurWords) call.standIn ??= { message: at, block: isResult ? -1 : block };
    });
    if (message.role !== "assistant") return;
    for (const block of blocks) {
      if (!isCallBlock(block)) continue;
      const { id, arguments: input } = readCall(block);
      const key = idKey(id);
      const others = calls.get(key);
      const call: Call = { message: at, input, answered: false, inOurWords: false };
      if (others) others.push(call);
      else calls.set(key, [call]);
    }
  });
  return calls;
}

/** The message with what is known in the place of the result in it, in the result's own form. */
function withResult(message: unknown, block: number, known: KnownOutcome): unknown {
  if (block === -1) return resultMessage(known);
  const { content, isError } = resultMessage(known);
  const blocks = ((message as JsonObject).content as JsonObject[]).map((stored, at) => (at === block ? { ...stored, content, is_error: isError } : stored));
  return { ...(message as JsonObject), content: blocks };
}

function resultMessage({ callId, toolName, outcome, at }: KnownOutcome): JsonObject {
  const fields = { role: "toolResult", toolCallId: callId, toolName };
  if (typeof outcome !== "string") return { ...fields, ...outcome.result, timestamp: at };
  const text = outcome === "interrupted" ? INTERRUPTED_CALL : NOT_STARTED_CALL;
  return marked({ ...fields, content: [{ type: "text", text }], isError: true, timestamp: at }, { result: outcome });
}
