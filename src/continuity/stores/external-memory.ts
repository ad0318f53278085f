import { nameInline, valueInline } from "../../base/quoted.ts";
import { continuityError } from "../base/errors.ts";
import type { WorkState } from "../base/state.ts";

/** An entry of an external memory. */
export interface MemoryItem {
  readonly text: string;
  /** The place of the entry, to be used as a context reference. */
  readonly ref: string;
}

/** An external memory system. The kernel only queries it for preferences, decisions and facts. */
export interface MemoryReader {
  query(question: string): Promise<readonly MemoryItem[]>;
}

/** A text that may be written to an external memory, because it stays true. */
export interface StableLearning {
  readonly kind: "preference" | "decision" | "fact";
  readonly text: string;
}

/** The write function of an external memory; only {@link writeLearning} calls it. */
export interface MemoryWriter {
  write(learning: StableLearning): Promise<void>;
}

const KINDS: readonly string[] = ["preference", "decision", "fact"];
const FIELDS: readonly string[] = ["kind", "text"];
/** Shorter texts occur in many sentences by chance. */
const SHORTEST_MATCH = 12;

/**
 * Writes a stable learning. Refuses work state, which changes daily and belongs into the ledger: another kind or field,
 * an id of this project's goals or tasks, or the words of a checkpoint, a blocker or an open task. Throws
 * `memory-write-refused`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { Continuity, type MemoryWriter, openSqliteStore, writeLearning } from "openclaw-integrity/continuity";
 *
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
 * const site = await continuity.project("site");
 * const { goal_id } = await site.createGoal({ text: "Move the site", priority: 5 });
 * await site.addTask({ goal_id, title: "Move the pictures" });
 * const written: string[] = [];
 * const memory: MemoryWriter = { write: async ({ text }) => void written.push(text) };
 * const state = await site.state();
 * await writeLearning(memory, { kind: "preference", text: "Never deploy on Fridays." }, state);
 * const workState = { kind: "fact", text: "We still have to move the pictures." } as const;
 * await assert.rejects(writeLearning(memory, workState, state), { code: "memory-write-refused" });
 * assert.deepEqual(written, ["Never deploy on Fridays."]);
 * await continuity.close();
 * ```
 */
export async function writeLearning(writer: MemoryWriter, learning: StableLearning, state: WorkState): Promise<void> {
  const found = workStateIn(learning, state);
  if (found !== undefined) {
    throw continuityError("memory-write-refused", {
      expected: `a stable learning, { kind: ${KINDS.join(" | ")}, text }, without work state`,
      found,
      todo: "Work state belongs into this project's ledger: its checkpoint or the task itself. Nothing was written.",
    });
  }
  await writer.write({ kind: learning.kind, text: learning.text });
}

function workStateIn(learning: StableLearning, state: WorkState): string | undefined {
  const { kind, text } = learning;
  if (!KINDS.includes(kind)) return `the kind ${valueInline(kind)}`;
  if (typeof text !== "string" || text.trim() === "") return "no text";
  const unknownField = Object.keys(learning).find((name) => !FIELDS.includes(name));
  if (unknownField !== undefined) return `the field ${nameInline(unknownField)}`;
  const said = plain(text);
  const ids = [...Object.keys(state.goals), ...Object.keys(state.tasks)];
  const id = ids.find((one) => said.includes(plain(one)));
  if (id !== undefined) return `the id ${nameInline(id)}`;
  return Object.entries(collectWords(state))
    .flatMap(([what, texts]) => texts.map((words) => [what, plain(words)] as const))
    .find(([, words]) => words.length >= SHORTEST_MATCH && said.includes(words))?.[0];
}

function collectWords({ checkpoints, tasks }: WorkState): Record<string, string[]> {
  const [handles, open] = [Object.values(checkpoints), Object.values(tasks)];
  return {
    "where a task was left off": handles.map(({ where_we_left_off }) => where_we_left_off),
    "the next step of a task": handles.map(({ next_step }) => next_step),
    "a blocker": [...handles.flatMap(({ blockers }) => blockers), ...open.flatMap(({ blockers }) => blockers)],
    "the title of a task that is not done": open.map(({ title }) => title),
  };
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ").trim();
}
