/** `@openai/agents`: what a model is asked with is repaired, and what a session gives; what is stored is not. */
import { isObject, type JsonObject } from "../transcript/json/json.ts";
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
 * Returns a session whose `getItems` gives repaired items, so that neither a provider refuses them nor the runner
 * leaves out calls without a result; all else is done by the given session, and what is stored stays as it is. Calls of
 * the last turn stay open: a run that waits for a person may still answer them.
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
  return new Proxy(session, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      const method = value.bind(target) as (...given: unknown[]) => unknown;
      if (key === "getItems")
        return async (...given: unknown[]) => repairItems((await method(...given)) as unknown[], options);
      // The items once more, with what a session that compacts says of them.
      if (key !== "getItemsWithCompactionOwnership") return method;
      return async (...given: unknown[]) => {
        const owned = (await method(...given)) as { items: unknown[] };
        return { ...owned, items: repairItems(owned.items, options) };
      };
    },
  });
}

function repairItems(items: unknown[], options?: RepairAsOptions): unknown[] {
  const open = findOpenCalls(items);
  return repairAs("agents", items, options, (item) => !open.has(item));
}

/** Returns the calls without a result behind the last message of a user. */
function findOpenCalls(items: readonly unknown[]): ReadonlySet<unknown> {
  const turn = items.slice(items.findLastIndex((item) => isObject(item) && item.role === "user") + 1).filter(isObject);
  const answered = new Set(turn.filter((item) => !isCall(item)).map(({ callId }) => callId));
  return new Set(turn.filter((item) => isCall(item) && !answered.has(item.callId)));
}

function isCall({ type }: JsonObject): boolean {
  return typeof type === "string" && type.endsWith("_call");
}
