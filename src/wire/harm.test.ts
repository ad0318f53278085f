/**
 * What heal must not do to a history: lose words that stand in an unusual field, or change what is far from a fault.
 */
import { describe, expect, test } from "vitest";
import { listViolations } from "../../harness/providers/index.ts";
import { check, heal } from "./heal.ts";

const user = (content: string): object => ({ role: "user", content });
const isSame = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other);
const chat = (...messages: object[]): { model: string; messages: object[] } => ({ model: "gpt-4o", messages });

describe("an assistant message of Chat Completions without content", () => {
  test.each([
    ["a refusal", [{ role: "assistant", content: null, refusal: "I cannot" }]],
    [
      "a function's call and its result",
      [
        { role: "assistant", content: null, function_call: { name: "pay", arguments: '{"to":"ada"}' } },
        { role: "function", name: "pay", content: "paid" },
      ],
    ],
  ])("stays as it is with %s", (_what, messages) => {
    const body = chat(user("a"), ...messages, user("b"));
    expect(listViolations("openai-completions", body)).toEqual([]);
    expect(check("openai-completions", body)).toEqual([]);
    expect(heal("openai-completions", body)).toBe(body);
  });

  test.each([
    [{ reasoning_content: "deep thoughts" }, "deep thoughts"],
    [{ reasoning_details: [{ type: "reasoning.text", text: "step" }] }, "step"],
    [{ thinking_blocks: [{ type: "thinking", thinking: "deep" }] }, "deep"],
    [{ images: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }] }, "example.com/a.png"],
    [{ annotations: [{ type: "url_citation", url_citation: { url: "https://example.com/b" } }] }, "example.com/b"],
    [{ function_call: { name: "pay", arguments: '{"to":' } }, "pay"],
  ])("is not dropped with %j", (fields, words) => {
    const body = chat(user("a"), { role: "assistant", content: "", ...fields }, user("b"));
    const healed = heal("openai-completions", body);
    expect(listViolations("openai-completions", healed)).toEqual([]);
    expect(JSON.stringify(healed)).toContain(words);
  });
});

describe("a message of the user's that says nothing", () => {
  const messages = [user("a"), { role: "assistant", content: "b" }, user("")];
  const host = "api.openai.com";

  test("stays at OpenAI, which is not known to refuse it, also where another message is healed", () => {
    const body = chat(...messages);
    expect(heal("openai-completions", body, { host })).toBe(body);
    const lost = { role: "tool", tool_call_id: "c9", content: "lost" };
    const healed = heal("openai-completions", chat(...messages, lost, user(" ")), { host });
    expect(check("openai-completions", healed, { host })).toEqual([]);
    expect(listViolations("openai-completions", healed, { host })).toEqual([]);
    expect(healed.messages.filter((message) => [user(""), user(" ")].some((one) => isSame(one, message)))).toHaveLength(
      2,
    );
  });

  test("is left out where one was refused, and where nothing is known of the host", () => {
    for (const other of ["api.moonshot.ai", "openrouter.ai", ""]) {
      const healed = heal("openai-completions", chat(...messages), { host: other });
      expect(JSON.stringify(healed)).not.toContain('""');
    }
  });
});

describe("a field that some servers of Chat Completions document", () => {
  const signed = [{ type: "thinking", thinking: "deep", signature: "s1" }];
  const own = { provider_specific_fields: { thought_signature: "s2" } };
  const asked = { id: "c1", type: "function", function: { name: "pay", arguments: "{}", ...own }, ...own };
  const fields = { partial: true, prefix: true, thinking_blocks: signed, ...own };
  const answer = { role: "assistant", content: "It is", ...fields };
  const calls = [
    { role: "assistant", content: null, tool_calls: [asked], ...fields },
    { role: "tool", tool_call_id: "c1", content: "paid" },
  ];
  const OPEN = ["api.moonshot.ai", "api.moonshot.cn", "dashscope.aliyuncs.com", "openrouter.ai", "127.0.0.1:4000"];

  test.each(OPEN)("stays, or thinking loses its signature and a server does not go on with an answer: %s", (host) => {
    for (const model of ["claude-opus-4-7", "gpt-5", "qwen-max", "kimi-k2"]) {
      const body = { model, messages: [user("a"), ...calls, user("b"), answer] };
      expect(listViolations("openai-completions", body, { host, model })).toEqual([]);
      expect(heal("openai-completions", body, { host })).toBe(body);
    }
  });

  test.each(OPEN)("stays where another message is healed: %s", (host) => {
    const lost = { role: "tool", tool_call_id: "c9", content: "lost" };
    const body = { model: "claude-opus-4-7", messages: [user("a"), ...calls, lost, user("b"), answer] };
    const healed = heal("openai-completions", body, { host }) as { messages: object[] };
    expect(check("openai-completions", healed, { host })).toEqual([]);
    expect(healed.messages).toEqual(expect.arrayContaining([...calls, answer]));
    const odd = { ...calls[0]!, tool_calls: [{ ...asked, id: "" }] };
    const renamed = JSON.stringify(heal("openai-completions", { ...body, messages: [user("a"), odd] }, { host }));
    for (const part of [JSON.stringify(signed), '"partial":true']) expect(renamed).toContain(part);
    expect(renamed.split("s2")).toHaveLength(4);
  });

  test.each(["api.openai.com", "x.openai.azure.com", "api.mistral.ai", "api.groq.com", "api.cerebras.ai"])(
    "is left out where unknown fields are refused: %s",
    (host) => {
      const body = { model: "m", messages: [user("a"), answer, user("b")] };
      const healed = heal("openai-completions", body, { host }) as { messages: object[] };
      expect(healed.messages[1]).toEqual({ role: "assistant", content: "It is", prefix: true });
    },
  );

  test("is left out where nothing is known but a model of OpenAI's", () => {
    expect(JSON.stringify(heal("openai-completions", chat(user("a"), answer, user("b"))))).not.toContain("thinking");
  });
});

describe("a response of Gemini's", () => {
  const content = (role: string, ...parts: object[]): object => ({ role, parts });
  const call = (id: string, name: string): object => content("model", { functionCall: { id, name, args: {} } });
  const response = (id: string | undefined, name: string, output: string): object =>
    content("user", { functionResponse: { ...(id !== undefined && { id }), name, response: { output } } });
  const answers = (contents: object[]): [unknown, unknown, unknown][] =>
    (heal("google-generative-ai", { contents }).contents as { parts: Record<string, Record<string, unknown>>[] }[])
      .flatMap(({ parts }) => parts.flatMap(({ functionResponse: one }) => (one ? [one] : [])))
      .map(({ id, name, response: said }) => [id, name, (said as { output?: unknown }).output]);

  test("of another function, beside the one that names the call", () => {
    const contents = [content("user", { text: "a" }), call("f1", "weather"), response(undefined, "payment", "paid")];
    expect(answers([...contents, response("f1", "weather", "sunny")])).toEqual([
      ["f1", "weather", "sunny"],
      [undefined, "payment", "paid"],
    ]);
  });

  test("that names another call and another function is not given to the call before it", () => {
    const contents = [content("user", { text: "a" }), call("f1", "weather"), response("f9", "payment", "paid")];
    expect(answers(contents)).toContainEqual(["f9", "payment", "paid"]);
  });

  test("moves to the call that it names, where two were exchanged", () => {
    const words = [content("model", { text: "b" }), content("user", { text: "c" })];
    const first = [content("user", { text: "a" }), call("f1", "weather"), response("f2", "payment", "paid")];
    expect(answers([...first, ...words, call("f2", "payment"), response("f1", "weather", "sunny")])).toEqual([
      ["f1", "weather", "sunny"],
      ["f2", "payment", "paid"],
    ]);
  });
});

test("a second result far behind its call changes no message of texts between them", () => {
  const turn = (n: number): object[] => [
    user(`ask ${n}`),
    { role: "assistant", content: [{ type: "tool_use", id: `t${n}`, name: "look", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `t${n}`, content: `seen ${n}` }] },
    { role: "assistant", content: `answer ${n}` },
  ];
  const messages = [...[0, 1, 2, 3, 4].flatMap(turn), user("go on")];
  const second = { role: "user", content: [{ type: "tool_result", tool_use_id: "t0", content: "seen again" }] };
  const body = { model: "claude-sonnet-4-5", max_tokens: 9, messages: [...messages, second] };
  const healed = new Set<object>(heal("anthropic-messages", body).messages);
  expect(messages.filter((message) => !healed.has(message))).toEqual([messages[2]]);
});

test.each<[string, string, object]>([
  [
    "anthropic-messages",
    "messages",
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "They must not know." },
        { type: "text", text: "Hi" },
      ],
    },
  ],
  [
    "bedrock-converse-stream",
    "messages",
    {
      role: "assistant",
      content: [{ reasoningContent: { reasoningText: { text: "They must not know." } } }, { text: "Hi" }],
    },
  ],
  [
    "openai-responses",
    "input",
    { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "They must not know." }] },
  ],
])("a thought that %s does not take is not said to be the answer", (api, field, thought) => {
  const ask = (text: string): object => ({ role: "user", content: api.startsWith("bedrock") ? [{ text }] : text });
  const body = { [field]: [ask("a"), thought, ask("b")] };
  const healed = heal(api, body);
  expect(check(api, healed)).toEqual([]);
  expect(JSON.stringify(healed)).toContain(
    String.raw`[Thinking of the assistant, no part of its answer:]\n> They must not know.`,
  );
  expect(heal(api, healed)).toBe(healed);
});
