import { isCallBlock, isFailedTurn, isResultBlock, isUsableId, readCall, readResult } from "./read.ts";
import { isShapelyAndSays, type Message, type Spelling } from "./clean.ts";

/** Ids of the history being checked; kept between calls so that a valid history costs almost no allocation. */
const seen = new Set<string>();

/**
 * True when {@link analyse} would find no violation. The fast path of every valid request: one pass, nothing is built.
 * Returns false for some valid histories too (results far from the order of many calls); the caller then analyses.
 */
export function looksHealthy(history: readonly unknown[], spelling: Spelling): boolean {
  try {
    return looksHealthyFrom(history, spelling, 0, seen);
  } finally {
    if (seen.size > 0) seen.clear();
  }
}

/**
 * The same for a history whose first `from` messages look healthy by themselves; `ids` are those of their calls. The ids
 * of the others are added; some of them too when the answer is false.
 */
export function looksHealthyFrom(
  history: readonly unknown[],
  spelling: Spelling,
  from: number,
  ids: Set<string>,
): boolean {
  try {
    return walk(history, spelling, from, ids);
  } catch {
    // A part of it throws.
    return false;
  }
}

function walk(history: readonly unknown[], spelling: Spelling, from: number, ids: Set<string>): boolean {
  for (let index = from; index < history.length; index++) {
    const message = history[index];
    if (!isShapelyAndSays(message, spelling)) return false;
    const { role, content } = message;
    if (role === "toolResult") return false;
    if (role === "assistant") {
      if (index === 0) return false;
      const answers = answersOf(message, history, index, spelling, ids);
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
  ids: Set<string>,
): number {
  const content = message.content as unknown[];
  let calls = 0;
  for (let at = 0; at < content.length; at++) {
    const block = content[at];
    if ((block as { type?: unknown }).type === "text" || !isCallBlock(block)) continue;
    if (isFailedTurn(message) || (block.partialJson !== undefined && block.partialJson !== null)) return -1;
    const { id } = block.type === "toolCall" ? block : readCall(block);
    if (!isUsableId(id) || ids.has(id)) return -1;
    ids.add(id);
    calls++;
    if (!isResultOf(history[index + calls], id) && !answeredNearby(content, history, index, id)) return -1;
  }
  // Each call has its result among the next messages; as many results as calls means that none is left over.
  for (let at = 1; at <= calls; at++) {
    const result = history[index + at];
    if (!isShapelyAndSays(result, spelling) || result.role !== "toolResult") return -1;
  }
  return calls;
}

function isResultOf(message: unknown, id: string): boolean {
  if (typeof message !== "object" || message === null) return false;
  const result = message as Message;
  return result.role === "toolResult" && (result.toolCallId === id || readResult(result).id === id);
}

function answeredNearby(content: readonly unknown[], history: readonly unknown[], index: number, id: string): boolean {
  const calls = content.filter(isCallBlock).length;
  if (calls > MAX_UNORDERED) return false;
  for (let at = 1; at <= calls; at++) {
    if (isResultOf(history[index + at], id)) return true;
  }
  return false;
}
