import { describe, expect, it } from "vitest";
import { check, heal, WIRE_APIS, type Healing } from "./index.ts";

const user = (content: unknown): object => ({ role: "user", content });
const orphan = user([{ type: "tool_result", tool_use_id: "gone", content: "an output" }]);

describe("heal", () => {
  it.each(WIRE_APIS)("refuses a list instead of giving it back unhealed: %s", (api) => {
    expect(() => heal(api, [orphan])).toThrow(TypeError);
    expect(() => heal(api, [orphan])).toThrow(
      /expects the request body of .*found a list\. Pass the body: heal\(api, \{/,
    );
  });

  it("does not throw on a proxy that cannot be read", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(heal("anthropic-messages", proxy)).toBe(proxy);
  });

  it("says what it did: each rule that was broken, where, and how much became how much", () => {
    const messages = [user("a"), orphan, { role: "assistant", content: "done" }, user("b")];
    const told: Healing[][] = [];
    const body = { model: "claude-sonnet-4-5", max_tokens: 1, messages };
    const healed = heal("anthropic-messages", body, { onHealed: (healings) => told.push(healings) });
    expect(told).toEqual([
      [
        {
          kind: "unexpected_tool_result",
          path: "messages.1.content.0",
          before: 0, // a call was put before it
          after: JSON.stringify(healed.messages[1]).length,
        },
      ],
    ]);
    expect(check("anthropic-messages", healed)).toEqual([]);
  });

  it("says nothing of a valid body", () => {
    const body = { model: "gpt-5", messages: [user("a")] };
    const onHealed = (): never => expect.unreachable("nothing was healed");
    expect(heal("openai-completions", body, { onHealed })).toBe(body);
  });
});
