import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyHistory } from "../../test/arbitrary/history.ts";
import { tailText } from "./tail.ts";
import { TAIL_OPENING } from "./words.ts";

const user = (text: string) => ({ role: "user", content: text });
const says = (text: string) => ({ role: "assistant", content: [{ type: "text", text }] });

describe("the tail of a conversation", () => {
  it("says who said what, tool traffic in words", () => {
    const call = { role: "assistant", content: [{ type: "toolCall", id: "a", name: "read", arguments: { path: "x" } }] };
    const result = { role: "toolResult", toolCallId: "a", toolName: "read", content: [{ type: "text", text: "found" }] };
    expect(tailText([user("read x"), call, result, says("read")])).toBe(
      `${TAIL_OPENING}\n\nUser: read x\n\nAssistant: (The tool read was called with {"path":"x"}.)\n\nUser: (The tool read returned: found)\n\nAssistant: read`,
    );
  });

  it("keeps what was said last and is never long, whatever was said before", () => {
    const long = Array.from({ length: 500 }, (_, nth) => (nth % 2 ? says(`answer ${nth} ${"x".repeat(900)}`) : user(`question ${nth} ${"😀".repeat(3000)}`)));
    const tail = tailText([...long, user("the last word")])!;
    expect(tail.length).toBeLessThan(15_000);
    expect(tail).toContain("answer 499");
    expect(tail.endsWith("User: the last word")).toBe(true);
    expect(tail.isWellFormed()).toBe(true);
  });

  it("carries the tail of an earlier reset on, once and without its opening words", () => {
    const again = tailText([user(tailText([user("first"), says("second")])!), says("third")])!;
    expect(again.split(TAIL_OPENING)).toHaveLength(2);
    expect(again).toContain("User: first");
    expect(again).toContain("Assistant: third");
  });

  it("is nothing for a conversation without words, and throws for none", () => {
    expect(tailText([])).toBeUndefined();
    fc.assert(
      fc.property(anyHistory, (messages) => {
        const tail = tailText(messages);
        expect(tailText(structuredClone(messages))).toBe(tail);
        expect(tail?.length ?? 0).toBeLessThan(20_000);
      }),
    );
  });
});
