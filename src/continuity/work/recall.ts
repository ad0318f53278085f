import type { MemoryItem, MemoryReader } from "../stores/external-memory.ts";
import { thrownText } from "../steps/recordable.ts";
import type { ActiveWorkState } from "./active-work.ts";

/** What a memory says about the active task. */
export interface Recalled {
  readonly items: readonly MemoryItem[];
  /** Why the memory could not be asked; null when it answered. */
  readonly failure: string | null;
}

const LONGEST_QUESTION = 500;
const LONGEST_TEXT = 500;
const LONGEST_REF = 200;
const LONGEST_FAILURE = 200;

/**
 * Asks an external memory for preferences, decisions and facts about the next step, for {@link briefing}. Read-only:
 * nothing of the answer is written into the work state, and nothing is written to the memory. At most `limit` items (5
 * by default) of at most 500 characters; asks nothing when there is no next step. Never throws: a memory that fails, or
 * does not answer within `timeoutMs` (2 seconds by default), keeps nobody from the work.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { briefing, Continuity, type MemoryReader, openSqliteStore, recall } from "openclaw-integrity/continuity";
 *
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
 * const site = await continuity.project("site");
 * const { goal_id } = await site.createGoal({ text: "Move the site", priority: 5 });
 * await site.addTask({ goal_id, title: "Move the pictures" });
 * const memory: MemoryReader = { query: async () => [{ text: "Never deploy on Fridays.", ref: "preferences.md" }] };
 * const work = await site.activeWork();
 * const { items } = await recall(memory, work);
 * const text = briefing(work, { now: Date.now(), recalled: items });
 * assert.match(text ?? "", /^From a memory .*: "Never deploy on Fridays." \("preferences.md"\)$/m);
 * await continuity.close();
 * ```
 */
export async function recall(
  memory: MemoryReader,
  { next, goals }: ActiveWorkState,
  { limit = 5, timeoutMs = 2000 }: { readonly limit?: number; readonly timeoutMs?: number } = {},
): Promise<Recalled> {
  if (next.kind !== "step") return { items: [], failure: null };
  const goal = goals.find(({ goal_id }) => goal_id === next.goal_id)?.text ?? "";
  const subject = [next.title, next.next_step, goal].filter((text, at, all) => text !== "" && all.indexOf(text) === at);
  const question = `Preferences, decisions and facts about: ${subject.join("; ")}`.slice(0, LONGEST_QUESTION);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    const found: unknown = await Promise.race([memory.query(question.toWellFormed()), late]);
    return { items: readItems(found, limit), failure: null };
  } catch (error) {
    return { items: [], failure: thrownText(error).slice(0, LONGEST_FAILURE) };
  } finally {
    clearTimeout(timer);
  }
}

/** The first items of an answer that have a text; a memory is somebody else's program, and may answer anything. */
function readItems(found: unknown, limit: number): MemoryItem[] {
  const items: MemoryItem[] = [];
  if (!Array.isArray(found)) return items;
  for (let at = 0; at < found.length && items.length < limit; at++) {
    const { text, ref } = (found[at] ?? {}) as Partial<MemoryItem>;
    if (typeof text !== "string" || text.trim() === "") continue;
    items.push({
      text: text.slice(0, LONGEST_TEXT).toWellFormed(),
      ref: typeof ref === "string" ? ref.slice(0, LONGEST_REF).toWellFormed() : "",
    });
  }
  return items;
}
