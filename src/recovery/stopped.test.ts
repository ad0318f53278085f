import { describe, expect, it } from "vitest";
import { prepare } from "../wire/index.ts";
import { withoutRefused } from "./stopped.ts";
import { DO_IT_DIFFERENTLY, REFUSED_MESSAGE, REFUSED_RESULT, STOPPED_ANSWER, STOPPED_REQUEST } from "./words.ts";

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] });
const says = (...texts: string[]) => ({ role: "assistant", content: texts.map((text) => ({ type: "text", text })), stopReason: "stop" });
const calls = (id: string) => ({ role: "assistant", content: [{ type: "toolCall", id, name: "read", arguments: {} }], stopReason: "toolUse" });
const result = (toolCallId: string, text: string) => ({ role: "toolResult", toolCallId, toolName: "read", content: [{ type: "text", text }], isError: false });
const texts = (messages: readonly unknown[]) => JSON.stringify(messages);

describe("what a content filter refused", () => {
  it("is not sent again, and nothing else is left out", () => {
    const sent = withoutRefused([user("fine"), says("ok"), user("refused"), says(STOPPED_REQUEST), user("other")]);
    expect(texts(sent)).not.toContain('"refused"');
    expect(sent).toMatchObject([user("fine"), says("ok"), user(REFUSED_MESSAGE), says(STOPPED_REQUEST), user("other")]);
  });

  it("may be what a tool found: the call keeps its result's place, so that the pair stays a pair", () => {
    const sent = withoutRefused([user("read it"), calls("toolu_a"), result("toolu_a", "refused"), says(STOPPED_REQUEST), user("other")]);
    expect(texts(sent)).not.toContain('"refused"');
    expect(texts(sent)).toContain("read it");
    expect(sent[2]).toMatchObject({ role: "toolResult", toolCallId: "toolu_a", content: [{ type: "text", text: REFUSED_RESULT }] });
    expect(prepare("anthropic-messages", sent)).toBe(sent);
  });

  it("is known behind words that had gone out before, and after OpenClaw has joined the blocks", () => {
    for (const stop of [says("well", `\n\n${STOPPED_REQUEST}`), { ...says(), content: `well\n\n${STOPPED_REQUEST}` }]) {
      expect(texts(withoutRefused([user("refused"), stop, user("other")]))).not.toContain('"refused"');
    }
  });

  it("is kept when only the answer was stopped, until that is stopped again", () => {
    const history = [user("write it"), says(STOPPED_ANSWER), user("other")];
    expect(withoutRefused(history)).toBe(history);
    expect(texts(withoutRefused(history, true))).not.toContain("write it");
  });

  it("is kept when the agent found another answer in the same turn: that message was not the reason", () => {
    const history = [user("the reason"), says(STOPPED_ANSWER), user("harmless"), says(STOPPED_ANSWER), user(DO_IT_DIFFERENTLY), says("answered"), user("next")];
    const sent = texts(withoutRefused(history, true));
    expect(sent).toContain("harmless");
    expect(sent).not.toContain("the reason");
  });

  it("is kept in the turn it was stopped in: the agent is to do the same thing differently", () => {
    const history = [user("before"), says(STOPPED_ANSWER), user("write it"), says(STOPPED_ANSWER), user(DO_IT_DIFFERENTLY)];
    expect(texts(withoutRefused(history, true))).toContain("write it");
    expect(texts(withoutRefused(history, true))).not.toContain("before");
  });

  it("in words of the user's own means nothing", () => {
    const history = [user("a"), says("b"), user(STOPPED_REQUEST), says(`He wrote: ${STOPPED_REQUEST} What now?`)];
    expect(withoutRefused(history)).toBe(history);
  });
});
