import { expect, test } from "vitest";
import { specified } from "./specified.ts";

const row = (message: object): string => JSON.stringify({ type: "message", message });
const call = (...ids: string[]): string =>
  row({ role: "assistant", content: [{ type: "text", text: "x" }, ...ids.map((id) => ({ type: "toolCall", id }))] });
const result = (toolCallId: string): string => row({ role: "toolResult", toolCallId, content: [] });
const user = row({ role: "user", content: "go on" });

test("the comparison repairs as the specification says, or the chart would show a straw man", () => {
  const sound = ['{"type":"session"}', user, call("a", "b"), result("b"), result("a"), user, call("open")];
  expect(specified(sound)).toEqual(sound);
  expect(specified([result("gone"), user])).toEqual([user]);
  // A displaced result is removed, and then its call.
  expect(specified([call("a", "b"), result("a"), user, result("b")])).toEqual([call("a"), result("a"), user]);
  expect(specified(["not json", call("a"), user])).toEqual(["not json", call(), user]);
});
