/** `@openai/agents`: what a model is asked with is repaired, and what a session gives; what is stored is not. */
import { repairAs, type RepairAsOptions } from "../lists/repair-list.ts";

export type { RepairAsOptions };

/**
 * Returns a `callModelInputFilter` for a `Runner` or a run: the items of each model call are repaired. Valid items are
 * the same objects. For the items of a session use {@link repairSession}: the runner stores in the session what a
 * filter has added, at its end.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { repairInput } from "openclaw-integrity/openai-agents";
 *
 * // new Runner({ callModelInputFilter: repairInput() })
 * const call = { type: "function_call", callId: "c1", name: "pay", status: "completed", arguments: "{}" };
 * const modelData = { instructions: "Be kind.", input: [call, { role: "user", content: "Are you there?" }] };
 * assert.equal(repairInput()({ modelData }).input.length, 3); // the call has a result now
 * ```
 */
export function repairInput(
  options?: RepairAsOptions,
): <Item, Data extends { input: Item[] }>(call: { readonly modelData: Data & { input: Item[] } }) => Data {
  return ({ modelData }) => {
    const input = repairAs("agents", modelData.input, options);
    return input === modelData.input ? modelData : { ...modelData, input };
  };
}

/** What is read of a session. */
interface Readable<Item> {
  getItems(limit?: number): Promise<Item[]>;
}

/**
 * Returns a session whose `getItems` gives repaired items, so that neither a provider refuses them nor the runner leaves
 * out calls without a result; all else is done by the given session, and what is stored stays as it is. The runner
 * resumes a `RunState` with the items as they are stored. A result that a program gives as new input, of a call that is
 * stored without one, is a second result: give such a run `callModelInputFilter: repairInput()` too.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { repairSession } from "openclaw-integrity/openai-agents";
 *
 * // run(agent, input, { session: repairSession(session) })
 * const result = { type: "function_call_result", callId: "c1", name: "ls", status: "completed", output: "a.txt" };
 * const session = repairSession({ getItems: async () => [result] });
 * assert.equal((await session.getItems()).length, 2); // a call and its result
 * ```
 */
export function repairSession<Session extends Readable<unknown>>(session: Session, options?: RepairAsOptions): Session {
  /** The runner that resumes a run asks for the session's id, and reads directly behind that to compare. */
  let isCompared = false;
  const repair = (items: unknown[]): unknown[] => repairAs("agents", items, options);
  return new Proxy(session, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      const method = value.bind(target) as (...given: unknown[]) => unknown;
      if (key === "getSessionId")
        return async (...given: unknown[]) => {
          const id = await method(...given);
          isCompared = true;
          // Over when the caller has gone on with the id: its own microtask comes between these two.
          queueMicrotask(() => queueMicrotask(() => void (isCompared = false)));
          return id;
        };
      if (key !== "getItems" && key !== "getItemsWithCompactionOwnership") return method;
      return async (...given: unknown[]) => {
        const isAsStored = isCompared;
        const read = (await method(...given)) as unknown[] | { items: unknown[] };
        if (isAsStored) return read;
        return Array.isArray(read) ? repair(read) : { ...read, items: repair(read.items) };
      };
    },
  });
}
