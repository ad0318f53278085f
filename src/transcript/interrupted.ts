import { isObject, type JsonObject } from "./json/json.ts";
import { idKey, isCallBlock, isResultBlock, isResultRole, readCall, readResult } from "./read.ts";
import { isAbandoned, originOfResult } from "./invented.ts";
import { marked } from "./origin.ts";
import { INTERRUPTED_CALL, NOT_STARTED_CALL, plainText, UNKNOWN_OUTCOME } from "./json/text.ts";

/** The known outcome of a tool call whose result is not in the transcript. */
export interface KnownOutcome {
  callId: string;
  toolName: string;
  /** Returns whether this is the input of the call; used only where several calls share the id. */
  isInput?: (input: unknown) => boolean;
  outcome: { result: { content: unknown; details?: unknown; isError: boolean } } | "interrupted" | "not_started";
  /** When the outcome was known, in milliseconds since 1970. */
  at: number;
  /** The call may still return: its outcome is put only in place of a result that somebody has invented. */
  isUnderWay?: boolean;
}

interface Call {
  message: number;
  input: unknown;
  /** A real result follows the call. */
  answered: boolean;
  /** The call's result consists only of a text of this project; a result from the journal contains as much or more. */
  inOurWords: boolean;
  /** The place of a result that the known outcome may replace: a message, or a block in one. */
  standIn?: { message: number; block: number; said: string };
}

/** The texts of this project in place of a result. */
const OUR_WORDS: ReadonlySet<string> = new Set([UNKNOWN_OUTCOME, INTERRUPTED_CALL, NOT_STARTED_CALL]);

/** The calls of one id that have no outcome assigned yet, in their order. */
interface Waiting {
  readonly open: Call[];
  readonly answered: Call[];
}

/** How many calls of one id an outcome's input is compared with, latest first; without a match the latest is taken. */
const MAX_COMPARED = 100;

/**
 * Inserts the outcome of each interrupted call behind the results of its message: the real result where it is known,
 * otherwise a text on whether the call may have run. It replaces an invented result, of OpenClaw or of this project. A
 * call with a real result is not changed; its outcome is returned in `answered`. Outcomes without a call in the history
 * are ignored, and those that the history has already. Returns the given list itself when there is nothing to insert.
 */
export function withOutcomes<T extends KnownOutcome>(
  messages: readonly unknown[],
  outcomes: readonly T[],
): { messages: readonly unknown[]; placed: T[]; answered: T[] } {
  const placed: T[] = [];
  const answered: T[] = [];
  const inserted = new Map<number, unknown[]>();
  const replaced = new Map<number, Map<number, KnownOutcome>>();
  const calls = outcomes.length === 0 ? new Map<string, Waiting>() : collectCalls(messages);
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
    if (standIn ? isSaid(known, standIn.said) : known.isUnderWay) {
      // The tool itself has returned what reads like an invented result.
      if (typeof known.outcome !== "string") answered.push(known);
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
  const completed = messages.flatMap((message, at) => [
    withResults(message, replaced.get(at)),
    ...(inserted.get(at)?.toReversed() ?? []),
  ]);
  return { messages: completed, placed: placed.toReversed(), answered: answered.toReversed() };
}

/** Returns the index of the last result message directly behind this message; its own index when there is none. */
function lastResultBehind(messages: readonly unknown[], at: number): number {
  let last = at;
  for (let next = messages[last + 1]; isObject(next) && isResultRole(next.role); next = messages[last + 1]) last++;
  return last;
}

/** Finds the call that an outcome belongs to, and removes it from the waiting calls. */
function takeCall(waiting: Waiting | undefined, { isInput }: KnownOutcome): Call | undefined {
  if (!waiting) return undefined;
  const candidates = waiting.open.length > 0 ? waiting.open : waiting.answered;
  const first = Math.max(0, candidates.length - MAX_COMPARED);
  let at = candidates.length - 1;
  if (isInput && at > 0) while (at >= first && !isInput(candidates[at]!.input)) at--;
  return candidates.splice(at < first ? -1 : at, 1)[0];
}

/** Returns all calls by id: with a real result before the next call of that id (`answered`), and without (`open`). */
function collectCalls(messages: readonly unknown[]): Map<string, Waiting> {
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
      const said = plainText(content).trim();
      const inOurWords = OUR_WORDS.has(said);
      if (!call.answered) call.inOurWords = inOurWords;
      const isReal = originOfResult(source) === "real" && !isAbandoned(source);
      if (isReal) call.answered = true;
      if (!isReal || inOurWords) call.standIn ??= { message: at, block: isResult ? -1 : block, said };
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
 * Replaces results in a message by known outcomes, by block index (-1: the whole message), each in the form of its
 * place.
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

/** True where the place of an outcome has its text already. */
function isSaid({ outcome }: KnownOutcome, said: string): boolean {
  if (typeof outcome === "string") return said === tellOutcome(outcome);
  return said !== "" && plainText(outcome.result.content).trim() === said;
}

function tellOutcome(outcome: "interrupted" | "not_started"): string {
  return outcome === "interrupted" ? INTERRUPTED_CALL : NOT_STARTED_CALL;
}

function resultMessage({ callId, toolName, outcome, at }: KnownOutcome): JsonObject {
  const fields = { role: "toolResult", toolCallId: callId, toolName };
  if (typeof outcome !== "string") return { ...fields, ...outcome.result, timestamp: at };
  const text = tellOutcome(outcome);
  return marked({ ...fields, content: [{ type: "text", text }], isError: true, timestamp: at }, { result: outcome });
}
