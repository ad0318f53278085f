import { expect, test } from "vitest";
import { ReplyCollector } from "./reply.ts";

const message = (text: string) => ({ role: "assistant", content: [{ type: "text", text }] });
const chat = (fields: object, runId = "run") => ({ event: "chat", payload: { runId, ...fields } });

test("collects what one run has streamed, and not what another has", () => {
  const collector = new ReplyCollector("run");
  collector.take(chat({ state: "status" }));
  collector.take(chat({ state: "delta", message: message("a") }));
  collector.take(chat({ state: "delta", message: message("another") }, "other"));
  collector.take({ event: "agent", payload: { runId: "run", stream: "assistant", data: { text: "ab" } } });
  expect(collector.closed).toBe(false);
  collector.take(chat({ state: "final", message: message("ab") }));
  expect(collector.closed).toBe(true);
  expect(collector.result()).toMatchObject({ deltas: ["a"], agentTexts: ["ab"], finalText: "ab" });
});

test("tells an error from an answer, and keeps an answer that came before a closing event without a text", () => {
  const collector = new ReplyCollector("run");
  collector.take(chat({ state: "final", message: message("the answer") }));
  collector.take(chat({ state: "final" }));
  expect(collector.result()).toMatchObject({ finalText: "the answer" });
  collector.take(chat({ state: "error", errorMessage: "it failed" }));
  expect(collector.result()).toMatchObject({ error: "it failed" });
});
