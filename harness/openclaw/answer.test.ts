import { expect, test } from "vitest";
import { judgeTurn } from "./answer.ts";

const entry = (text: string, stopReason = "stop", timestamp = 1) => ({
  type: "message",
  id: `${timestamp}`,
  message: { role: "assistant", content: [{ type: "text", text }], stopReason, timestamp },
});
const turn = (text: string, isError = false) => ({ payloads: [{ text, isError }] });

test("takes the model's new words for an answer, and nothing else", () => {
  const before = [entry("old")];
  const after = [...before, entry("new", "stop", 2)];
  expect(judgeTurn(turn("new"), before, after)).toEqual({ answered: true, text: "new" });
  expect(judgeTurn(turn("new", true), before, after)).toMatchObject({ answered: false, error: "new" });
  expect(judgeTurn({ ...turn("new"), error: "rejected" }, before, after)).toMatchObject({
    answered: false,
    error: "rejected",
  });
  expect(judgeTurn(turn("LLM request failed."), before, after)).toMatchObject({ answered: false });
  expect(judgeTurn(turn("new"), before, [...before, entry("new", "error", 2)])).toMatchObject({ answered: false });
  expect(judgeTurn({ payloads: [] }, before, after)).toMatchObject({ answered: false, error: "no reply" });
});

test("does not take the previous answer for a new one, even under a new entry id", () => {
  const renamed = { ...entry("old"), id: "renamed" };
  expect(judgeTurn(turn("old"), [entry("old")], [renamed])).toMatchObject({ answered: false });
});
