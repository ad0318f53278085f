import { afterEach, expect, it, vi } from "vitest";
import { result, user } from "../../../harness/messages.ts";
import { StoredCalls } from "./stored-calls.ts";

afterEach(() => void vi.restoreAllMocks());

const calling = (...ids: string[]) => ({ role: "assistant", content: ids.map((id) => ({ type: "toolCall", id })) });

/** A transcript, and what waits for it. */
function transcript(...messages: unknown[]) {
  const entries = new Map<string, { type: string; parentId: string | null; message: unknown }>();
  let leaf: string | null = null;
  const append = (message: unknown): void => {
    const id = `e${entries.size}`;
    entries.set(id, { type: "message", parentId: leaf, message });
    leaf = id;
  };
  messages.forEach(append);
  const calls = new StoredCalls({ getLeafId: () => leaf, getEntry: (id) => entries.get(id) });
  calls.asked();
  return { calls, append };
}

it("lets a call begin at once when its answer is stored, behind results of other calls too", () => {
  const { calls, append } = transcript(user("go"));
  append(calling("a", "b"));
  append(result("a", "done"));
  expect([calls.until("a"), calls.until("b")]).toEqual([undefined, undefined]);
});

it("begins no call before its answer is stored: a kill between would leave an effect that nobody knows of", async () => {
  const { calls, append } = transcript(user("go"));
  const begun: string[] = [];
  const waiting = ["a", "b"].map((id) => calls.until(id)?.then(() => begun.push(id)));
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(begun).toEqual([]);
  append(calling("a", "b"));
  await Promise.all(waiting);
  // Calls of one answer begin in any order.
  expect(begun.toSorted()).toEqual(["a", "b"]);
});

it("does not take an earlier call for this one where a provider gives the same ids in each answer", async () => {
  const { calls, append } = transcript(user("go"), calling("call_0"), result("call_0", "done"));
  const waiting = calls.until("call_0");
  expect(waiting).toBeInstanceOf(Promise);
  append(calling("call_0"));
  await waiting;
});

it("delays the calls of a run once where the transcript does not take the answer, and says so", async () => {
  const said = vi.spyOn(console, "warn").mockImplementation(() => {});
  const { calls } = transcript(user("go"));
  await calls.until("a");
  expect(calls.until("b")).toBeUndefined();
  expect(said).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("begin without waiting"));
});

let leaves = 0;
it.each([
  ["has no such methods", {}],
  ["has no leaf to tell", { getLeafId: () => expect.fail("unreadable"), getEntry: () => ({}) }],
  ["cannot be read", { getLeafId: () => `e${leaves++}`, getEntry: () => expect.fail("unreadable") }],
])("lets calls begin at once where the transcript %s", (_, manager) => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const calls = new StoredCalls(manager);
  calls.asked();
  expect(calls.until("a")).toBeUndefined();
});
