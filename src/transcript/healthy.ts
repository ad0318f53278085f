import { isCallBlock, isCutOff, isFailedTurn, isResultBlock, isUsableId, readCall, readResult } from "./read.ts";
import { isShapelyAndSays, type Message, type Spelling } from "./clean.ts";

/** Ids of the history being checked; kept between calls so that a valid history costs almost no allocation. */
const seen = new Set<string>();

/**
 * True when {@link analyse} would find no violation. The fast path of every valid request: one pass, nothing is built.
 * Returns false for some valid histories too (results far from the order of many calls); the caller then analyses.
 */
export function looksHealthy(history: readonly unknown[], spelling: Spelling): boolean {
  return looks(history, spelling, false, 0);
}

/**
 * The same in OpenClaw's own spelling, from the message at `from` on, for a history whose results also have the names of
 * their calls.
 */
export function looksNamed(history: readonly unknown[], from = 0): boolean {
  return looks(history, "openclaw", true, from);
}

function looks(history: readonly unknown[], spelling: Spelling, isNamed: boolean, from: number): boolean {
  try {
    return walk(history, spelling, isNamed, from);
  } catch {
    // A part of it throws.
    return false;
  } finally {
    if (seen.size > 0) seen.clear();
  }
}

function walk(history: readonly unknown[], spelling: Spelling, isNamed: boolean, from: number): boolean {
  for (let index = from; index < history.length; index++) {
    const message = history[index];
    if (!isShapelyAndSays(message, spelling)) return false;
    const { role, content } = message;
    if (role === "toolResult") return false;
    if (role === "assistant") {
      const answers = answersOf(message, history, index, spelling, isNamed);
      if (answers < 0) return false;
      index += answers;
    } else if (role === "user" && Array.isArray(content)) {
      for (let at = 0; at < content.length; at++) {
        if (isResultBlock(content[at])) return false;
      }
    }
  }
  return true;
}

/**
 * Results of parallel calls may be in any order; with more calls than this, only results in the order of their calls
 * are recognised.
 */
const MAX_UNORDERED = 64;

/** Returns how many result messages behind the assistant message at `index` answer its calls; -1 when they do not. */
function answersOf(
  message: Message,
  history: readonly unknown[],
  index: number,
  spelling: Spelling,
  isNamed: boolean,
): number {
  const content = message.content as unknown[];
  let calls = 0;
  for (let at = 0; at < content.length; at++) {
    const block = content[at];
    if ((block as { type?: unknown }).type === "text" || !isCallBlock(block)) continue;
    if (isFailedTurn(message) || isCutOff(block)) return -1;
    const { id } = block.type === "toolCall" ? block : readCall(block);
    if (!isUsableId(id) || seen.has(id)) return -1;
    seen.add(id);
    calls++;
    const result = isResultOf(history[index + calls], id)
      ? history[index + calls]
      : answerNearby(content, history, index, id);
    if (result === undefined || (isNamed && !isNamedAs(result as Message, id, block.name))) return -1;
  }
  // Each call has its result among the next messages; as many results as calls means that none is left over.
  for (let at = 1; at <= calls; at++) {
    const result = history[index + at];
    if (!isShapelyAndSays(result, spelling) || result.role !== "toolResult") return -1;
  }
  return calls;
}

/** Only the fields that OpenClaw reads count: an id in another one is brought there first. */
function isNamedAs(result: Message, id: string, name: unknown): boolean {
  return result.toolCallId === id && result.toolName === name;
}

function isResultOf(message: unknown, id: string): boolean {
  if (typeof message !== "object" || message === null) return false;
  const result = message as Message;
  return result.role === "toolResult" && (result.toolCallId === id || readResult(result).id === id);
}

function answerNearby(content: readonly unknown[], history: readonly unknown[], index: number, id: string): unknown {
  const calls = content.filter(isCallBlock).length;
  if (calls > MAX_UNORDERED) return undefined;
  for (let at = 1; at <= calls; at++) {
    if (isResultOf(history[index + at], id)) return history[index + at];
  }
  return undefined;
}
