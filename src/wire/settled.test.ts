import { expect, it } from "vitest";
import { check, heal, type WireApi } from "./index.ts";

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
};
const question = { role: "user", content: "q" };
const thought = (more: object): object => ({ type: "reasoning", ...more });
const called = (input: unknown): object => ({ type: "tool_use", id: "a", name: "exec", input });

it.each<[string, WireApi, object]>([
  [
    "a Converse block that is a text and a call at once",
    "bedrock-converse-stream",
    {
      messages: [
        { role: "user", content: [{ text: "q" }] },
        { role: "assistant", content: [{ text: "x", toolUse: { toolUseId: "a", name: "exec", input: {} } }] },
      ],
    },
  ],
  [
    "a Converse call with an unknown field beside it",
    "bedrock-converse-stream",
    {
      messages: [
        { role: "user", content: [{ text: "q" }] },
        { role: "assistant", content: [{ toolUse: { toolUseId: "a", name: "exec", input: {} }, note: "mine" }] },
      ],
    },
  ],
  [
    "reasoning behind which there is only reasoning that is not sent",
    "openai-responses",
    { input: [question, thought({ summary: [] }), thought({ summary: [] }), thought({})] },
  ],
  [
    "arguments that are a list of as many levels as an object may have",
    "anthropic-messages",
    { messages: [question, { role: "assistant", content: [called(nested(200))] }] },
  ],
  [
    "arguments that are an object with a form of its own in JSON",
    "openai-responses",
    { input: [question, { type: "function_call", call_id: "a", name: "exec", arguments: new Date(0) }] },
  ],
])("a body is valid once it is healed, and healed no more: %s", (_what, api, body) => {
  const healed = heal(api, body as never);
  expect(check(api, healed)).toEqual([]);
  expect(heal(api, healed)).toBe(healed);
});

it("keeps the text of a Converse block that is also a call, before the call", () => {
  const content = [{ text: "said", toolUse: { toolUseId: "a", name: "exec", input: { b: 1 } } }];
  const healed = heal("bedrock-converse-stream", {
    messages: [
      { role: "user", content: [{ text: "q" }] },
      { role: "assistant", content },
    ],
  }) as { messages: { content: unknown }[] };
  expect(healed.messages[1]!.content).toEqual([
    { text: "said" },
    { toolUse: { toolUseId: "a", name: "exec", input: { b: 1 } } },
  ]);
});

it.each<WireApi>(["anthropic-messages", "bedrock-converse-stream", "openai-completions"])(
  "a call gets no id that was made for an earlier one of another turn: %s",
  (api) => {
    const id = "functions.exec:0 ";
    const turns: Record<string, (words: string) => object[]> = {
      "anthropic-messages": (words) => [
        { role: "user", content: words },
        { role: "assistant", content: [{ type: "tool_use", id, name: "exec", input: { words } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: words }] },
        { role: "assistant", content: [{ type: "text", text: "Done." }] },
      ],
      "bedrock-converse-stream": (words) => [
        { role: "user", content: [{ text: words }] },
        { role: "assistant", content: [{ toolUse: { toolUseId: id, name: "exec", input: { words } } }] },
        { role: "user", content: [{ toolResult: { toolUseId: id, content: [{ text: words }] } }] },
        { role: "assistant", content: [{ text: "Done." }] },
      ],
      "openai-completions": (words) => [
        { role: "user", content: words },
        { role: "assistant", tool_calls: [{ id, type: "function", function: { name: "exec", arguments: "{}" } }] },
        { role: "tool", tool_call_id: id, content: words },
        { role: "assistant", content: "Done." },
      ],
    };
    const end = turns[api]!("?").slice(0, 1);
    let sent: object[] = [];
    for (const words of ["one", "two", "three"]) {
      const { messages } = heal(
        api,
        { model: "mistral-large", max_tokens: 9, messages: [...sent, ...turns[api]!(words), ...end] },
        { host: "api.mistral.ai" },
      );
      expect(check(api, { model: "mistral-large", max_tokens: 9, messages }, { host: "api.mistral.ai" })).toEqual([]);
      sent = messages.slice(0, -1) as object[];
    }
    expect(new Set(JSON.stringify(sent).match(/"(?:id|toolUseId)":"[^"]+"/g)).size).toBe(3);
  },
);

it("white space at the end of an answer in the midst of a history stays where something else of the answer is healed", () => {
  const odd = (text: string): object => ({ role: "assistant", content: [{ type: "text", text, extra: 1 }] });
  const answer = { role: "user", content: "r" };
  const sent = (...messages: object[]): string =>
    JSON.stringify(
      heal("anthropic-messages", { model: "claude-3-opus", max_tokens: 9, messages: [question, ...messages] }),
    );
  expect(sent(odd("code:  \n"), answer)).toContain('"code:  \\n"');
  // At the end the API refuses it.
  expect(sent(odd("code:  \n"))).toContain('"code:"');
});
