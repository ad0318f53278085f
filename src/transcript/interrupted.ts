import { isObject, type JsonObject } from "./json/json.ts";
import { idKey, isCallBlock, isResultBlock, isResultRole, readCall, readResult } from "./read.ts";
import { originOfResult } from "./invented.ts";
import { marked } from "./origin.ts";
import { INTERRUPTED_CALL, NOT_STARTED_CALL, plainText, UNKNOWN_OUTCOME } from "./json/text.ts";

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
  /**
   * Whether its result says no more than words of ours do: what the journal has recorded of the call tells more, or the
   * very same.
   */
  inOurWords: boolean;
  /** Where a result stands that may give way to what is known: a message, or a block in one. */
  standIn?: { message: number; block: number };
}

/** What this project says in the place of a result. */
const OUR_WORDS: ReadonlySet<string> = new Set([UNKNOWN_OUTCOME, INTERRUPTED_CALL, NOT_STARTED_CALL]);

/** The calls of one id that no outcome was found for yet, in their order. */
interface Waiting {
  readonly open: Call[];
  readonly answered: Call[];
}

/** Calls of one id that an outcome is compared with, the latest first; with more of them the latest counts. */
const MOST_COMPARED = 100;

/**
 * The history with the outcome of each interrupted call behind the results of the message that made it: the real result
 * where it is known, otherwise plain words on whether it may have run. A call that has a real result is left alone.
 * `answered` are the outcomes whose call has one; of what has no call in the history nothing is said. The very list
 * that was given when there is nothing to put in. Issue 5, item 2.
 */
export function withOutcomes<T extends KnownOutcome>(
  messages: readonly unknown[],
  outcomes: readonly T[],
): { messages: readonly unknown[]; placed: T[]; answered: T[] } {
  const placed: T[] = [];
  const answered: T[] = [];
  const inserted = new Map<number, unknown[]>();
  const replaced = new Map<number, Map<number, KnownOutcome>>();
  const calls = outcomes.length === 0 ? new Map<string, Waiting>() : callsOf(messages);
  const lastResults = new Map<number, number>();
  // The latest outcome of an id belongs to the latest call of that id.
  for (const known of outcomes.toReversed()) {
    const found = takeCall(calls.get(known.callId), known);
    if (!found) continue;
    const { standIn } = found;
    if (found.answered && !(found.inOurWords && standIn && typeof known.outcome !== "string")) {
      answered.push(known);
      continue;
    }
    placed.push(known);
    if (standIn) {
      const blocks = replaced.get(standIn.message) ?? new Map<number, KnownOutcome>();
      replaced.set(standIn.message, blocks.set(standIn.block, known));
      continue;
    }
    const at = lastResults.get(found.message) ?? lastResultBehind(messages, found.message);
    lastResults.set(found.message, at);
    const behind = inserted.get(at);
    if (behind) behind.push(resultMessage(known));
    else inserted.set(at, [resultMessage(known)]);
  }
  if (placed.length === 0) return { messages, placed, answered: answered.toReversed() };
  const told = messages.flatMap((message, at) => [
    withResults(message, replaced.get(at)),
    ...(inserted.get(at)?.toReversed() ?? []),
  ]);
  return { messages: told, placed: placed.toReversed(), answered: answered.toReversed() };
}

/** The last of the result messages that follow this one without a gap; the message itself when there is none. */
function lastResultBehind(messages: readonly unknown[], at: number): number {
  let last = at;
  for (let next = messages[last + 1]; isObject(next) && isResultRole(next.role); next = messages[last + 1]) last++;
  return last;
}

/** The call that an outcome belongs to; it waits for no other one then. */
function takeCall(waiting: Waiting | undefined, { isInput }: KnownOutcome): Call | undefined {
  if (!waiting) return undefined;
  const candidates = waiting.open.length > 0 ? waiting.open : waiting.answered;
  const first = Math.max(0, candidates.length - MOST_COMPARED);
  let at = candidates.length - 1;
  if (isInput && at > 0) while (at >= first && !isInput(candidates[at]!.input)) at--;
  return candidates.splice(at < first ? -1 : at, 1)[0];
}

/** All calls by id, each with whether a real result stands behind it before the next call of that id. */
function callsOf(messages: readonly unknown[]): Map<string, Waiting> {
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
      if (originOfResult(source) !== "real" || inOurWords)
        call.standIn ??= { message: at, block: isResult ? -1 : block };
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
  return new Map(
    [...calls].map(([id, all]) => [
      id,
      { open: all.filter(({ answered }) => !answered), answered: all.filter(({ answered }) => answered) },
    ]),
  );
}

/**
 * The message with what is known in the place of results in it, by their blocks (-1: the whole message), each in its
 * own form.
 */
function withResults(message: unknown, known: ReadonlyMap<number, KnownOutcome> | undefined): unknown {
  if (!known) return message;
  const whole = known.get(-1);
  if (whole) return resultMessage(whole);
  const blocks = ((message as JsonObject).content as JsonObject[]).map((stored, at) => {
    const outcome = known.get(at);
    if (!outcome) return stored;
    const { content, isError } = resultMessage(outcome);
    return { ...stored, content, is_error: isError };
  });
  return { ...(message as JsonObject), content: blocks };
}

function resultMessage({ callId, toolName, outcome, at }: KnownOutcome): JsonObject {
  const fields = { role: "toolResult", toolCallId: callId, toolName };
  if (typeof outcome !== "string") return { ...fields, ...outcome.result, timestamp: at };
  const text = outcome === "interrupted" ? INTERRUPTED_CALL : NOT_STARTED_CALL;
  return marked({ ...fields, content: [{ type: "text", text }], isError: true, timestamp: at }, { result: outcome });
}
