import fc from "fast-check";
import { expect, it } from "vitest";
import { assistant, call, result as toolResult, userText as user } from "../../harness/messages.ts";
import { prepare } from "../wire/prepare.ts";
import { repair, validate } from "./index.ts";

type Message = Record<string, unknown>;
const result = (id: string): Message => toolResult(id, "done", { isError: false });
const background = (id: string): Message => ({ ...(call(id) as Message), async: true });

const byId = (one: Message, other: Message): number => String(one.toolCallId).localeCompare(String(other.toolCallId));

it("a later call with the id of a background call keeps its result, so that a repair does not add one at every load", () => {
  const history = [
    user("hi"),
    assistant(background("a")),
    result("a"),
    user("again"),
    assistant(call("a")),
    result("a"),
  ];
  expect(validate(history)).toEqual([]);
  expect(repair(history).messages).toBe(history);
  const open = history.slice(0, -1);
  const repaired = repair(open).messages;
  expect(repaired).toHaveLength(6);
  expect(validate(repaired)).toEqual([]);
  expect(repair(repaired).messages).toBe(repaired);
});

it.each([
  ["before", ["a", "b"]],
  ["behind", ["b", "a"]],
])("the result of a background call %s that of another call in its message is in its place", (_where, ids) => {
  const history = [user("hi"), assistant(background("a"), call("b")), ...ids.map(result)];
  expect(validate(history)).toEqual([]);
  const prepared = prepare("anthropic-messages", [...history, result("nobody")]);
  expect(prepared.toSorted(byId)).toEqual(history.toSorted(byId));
  expect(validate(prepared)).toEqual([]);
});

it("a history with background calls is valid once it is repaired, and repaired no more, whatever ids are used again", () => {
  const id = fc.constantFrom("a", "b");
  const calls = fc.array(fc.tuple(id, fc.boolean()), { minLength: 1, maxLength: 2 });
  const message = fc.oneof(
    fc.constant(user("hi")),
    calls.map((list) =>
      assistant(...list.map(([name, isBackground]) => (isBackground ? background(name) : call(name)))),
    ),
    id.map(result),
  );
  fc.assert(
    fc.property(fc.array(message, { maxLength: 8 }), (history) => {
      const { messages } = repair([user("hi"), ...history], { spelling: "openclaw" });
      expect(validate(messages)).toEqual([]);
      expect(repair(messages, { spelling: "openclaw" }).messages).toBe(messages);
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 500) },
  );
});
