import { describe, expect, it } from "vitest";
import { check as checkAny, heal as healAny } from "./heal.ts";
import { check, heal, prepare, type WireApi } from "./index.ts";

const rules = (api: WireApi, body: unknown): string[] => check(api, body).map(({ rule, path }) => `${rule}@${path}`);

describe("Anthropic Messages", () => {
  const body = (...messages: unknown[]) => ({ model: "claude", max_tokens: 9, messages });

  it("keeps blocks that are fine as the same objects, marks of the prompt cache included", () => {
    const text = { type: "text", text: "hi", cache_control: { type: "ephemeral" } };
    const thinking = { type: "thinking", thinking: "hm", signature: "c2ln" };
    const use = { type: "tool_use", id: "t1", name: "exec", input: { a: 1 } };
    const answer = {
      type: "tool_result",
      tool_use_id: "t1",
      content: [{ type: "text", text: "out" }],
      cache_control: { type: "ephemeral" },
    };
    const healed = heal(
      "anthropic-messages",
      body(
        { role: "user", content: [text] },
        { role: "assistant", content: [thinking, use] },
        { role: "user", content: [{ type: "text", text: "and" }, answer] },
      ),
    );
    const [first, second, third] = healed.messages as { content: unknown[] }[];
    expect(first!.content[0]).toBe(text);
    expect(second!.content).toEqual([thinking, use]);
    expect(second!.content[0]).toBe(thinking);
    expect(second!.content[1]).toBe(use);
    expect(third!.content).toEqual([answer, { type: "text", text: "and" }]);
    expect(third!.content[0]).toBe(answer);
  });

  it("finds what the incident of 5 February left behind, with its place", () => {
    const orphan = body(
      { role: "user", content: "hi" },
      { role: "assistant", content: [{ type: "text", text: "writing" }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "written" }] },
    );
    expect(rules("anthropic-messages", orphan)).toEqual(["unexpected_tool_result@messages.2.content.0"]);
  });

  it("gives an id that no server takes another one, on the call and on its result (openclaw#12277)", () => {
    const healed = heal(
      "anthropic-messages",
      body(
        { role: "user", content: "hi" },
        { role: "assistant", content: [{ type: "tool_use", id: "functions.exec:0", name: "cal.list", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "functions.exec:0", content: "x" }] },
      ),
    );
    const [, call, answer] = healed.messages as { content: Record<string, string>[] }[];
    expect(call!.content[0]!.id).toMatch(/^[a-z0-9]{9}$/);
    expect(answer!.content[0]!.tool_use_id).toBe(call!.content[0]!.id);
    expect(call!.content[0]!.name).toBe("cal_list");
  });

  it("does not let a turn end with thinking, nor change the thinking", () => {
    const thinking = { type: "thinking", thinking: "hm", signature: "c2ln" };
    const healed = heal(
      "anthropic-messages",
      body(
        { role: "user", content: "hi" },
        { role: "assistant", content: [thinking] },
        { role: "user", content: "go on" },
      ),
    );
    expect((healed.messages[1] as { content: unknown[] }).content).toEqual([
      thinking,
      { type: "text", text: "[The answer was cut off here.]" },
    ]);
  });

  it("begins with the assistant where OpenClaw began the conversation, and with an opening for Claude 3.5 and earlier alone", () => {
    const given = body(
      { role: "assistant", content: [{ type: "text", text: "At ten." }] },
      { role: "user", content: "Thanks." },
    );
    const recent = { ...given, model: "claude-sonnet-4-5" };
    expect(heal("anthropic-messages", recent)).toBe(recent);
    const { messages } = heal("anthropic-messages", { ...given, model: "claude-3-5-sonnet-20241022" });
    expect(messages).toEqual([
      { role: "user", content: [{ type: "text", text: "[Start of the available conversation.]" }] },
      ...given.messages,
    ]);
  });

  it("ends with the user where the model continues no answer (openclaw#54410), or the client wants none continued", () => {
    const given = body({ role: "user", content: "hi" }, { role: "assistant", content: "hello" });
    const last = { role: "user", content: [{ type: "text", text: "[Please continue.]" }] };
    expect(heal("anthropic-messages", { ...given, model: "claude-opus-4-6" }).messages.at(-1)).toEqual(last);
    expect(heal("anthropic-messages", { ...given, thinking: { type: "adaptive" } }).messages.at(-1)).toEqual(last);
    const model = "claude-3-5-haiku-20241022";
    expect(heal("anthropic-messages", given, { model })).toBe(given);
    expect(healAny("anthropic-messages", given, { model, neverPrefills: true }).messages.at(-1)).toEqual(last);
    const blank = body({ role: "user", content: "hi" }, { role: "assistant", content: "so: " });
    expect(rules("anthropic-messages", blank)).toEqual(["final_whitespace@messages.1"]);
    expect(JSON.stringify(heal("anthropic-messages", blank))).toContain('"so:"');
  });

  it("leaves instructions between the messages to the operator, and two assistant messages in a row as they are", () => {
    const call = (id: string) => ({ role: "assistant", content: [{ type: "tool_use", id, name: "exec", input: {} }] });
    const answer = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "x" });
    const given = {
      model: "claude-opus-4-8",
      messages: [
        { role: "user", content: "hi" },
        call("a"),
        call("b"),
        { role: "user", content: [answer("a"), answer("b")] },
        { role: "system", content: [{ type: "text", text: "Be brief." }] },
      ],
    };
    expect(heal("anthropic-messages", given)).toBe(given);
    expect(rules("anthropic-messages", { ...given, model: "claude-sonnet-4-5" })).toEqual(["role@messages.4"]);
  });

  it("replaces half characters, which the API refuses as bad JSON", () => {
    const cut = body({ role: "user", content: "crab \ud83e" });
    expect(rules("anthropic-messages", cut)).toEqual(["lone_surrogate@messages"]);
    expect(heal("anthropic-messages", cut).messages).toEqual([{ role: "user", content: "crab \ufffd" }]);
  });
});

describe("OpenAI Chat Completions", () => {
  const call = (id: string) => ({ id, type: "function", function: { name: "exec", arguments: "{}" } });

  it("joins neighbours of one role for the models that refuse them, and for no others (openclaw#6655)", () => {
    const system = { role: "system", content: "be good" };
    const body = { messages: [system, { role: "user", content: "a" }, { role: "user", name: "bert", content: "b" }] };
    const healed = heal("openai-completions", { model: "deepseek-reasoner", ...body });
    expect(healed.messages).toEqual([system, { role: "user", content: "a\n\nb" }]);
    expect(healed.messages[0]).toBe(system);
    const group = { model: "gpt-4o", ...body };
    expect(heal("openai-completions", group)).toBe(group);
  });

  it("lets a history begin and end with the assistant where its server does", () => {
    const said = { role: "assistant", content: "Hello" };
    const body = { model: "gpt-4o", messages: [said, { role: "user", content: "a" }, said] };
    expect(heal("openai-completions", body)).toBe(body);
    expect(healAny("openai-completions", body, { neverPrefills: true }).messages.at(-1)).toMatchObject({
      role: "user",
    });
    expect(rules("openai-completions", { ...body, model: "mistral-large" })).toEqual(["last_role@messages.2"]);
    const prefixed = { model: "mistral-large", messages: [body.messages[1], { ...said, prefix: true }] };
    expect(heal("openai-completions", prefixed)).toBe(prefixed);
  });

  it("gives Mistral ids of nine characters and lets the assistant speak before the user (openclaw#52548, openclaw#33177)", () => {
    const messages = [
      { role: "user", content: "a" },
      { role: "assistant", content: null, tool_calls: [call("read177411253938138")] },
      { role: "tool", tool_call_id: "read177411253938138", content: "x" },
      { role: "user", content: "b" },
    ];
    expect(rules("openai-completions", { model: "gpt", messages })).toEqual([]);
    const healed = heal("openai-completions", { model: "mistral-large", messages }).messages as unknown as Record<
      string,
      unknown
    >[];
    expect(healed.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
    expect(healed[2]!.tool_call_id).toMatch(/^[a-z0-9]{9}$/);
  });

  it("sends the reasoning field back to the models that ask for it (openclaw#71050)", () => {
    const messages = [
      { role: "user", content: "a" },
      { role: "assistant", content: null, tool_calls: [call("x")] },
      { role: "tool", tool_call_id: "x", content: "y" },
    ];
    const healed = heal("openai-completions", { model: "deepseek-reasoner", reasoning_effort: "high", messages });
    expect(healed.messages[1]).toMatchObject({ reasoning_content: "" });
    expect(rules("openai-completions", { model: "gpt-4.1", reasoning_effort: "high", messages })).toEqual([]);
  });
});

describe("OpenAI Responses", () => {
  const user = { type: "message", role: "user", content: [{ type: "input_text", text: "a" }] };

  it("takes reasoning whose item is gone out, with the ids that point to it (openclaw#18428)", () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }] };
    const call = { type: "function_call", id: "fc_1", call_id: "c", name: "exec", arguments: "{}" };
    const output = { type: "function_call_output", call_id: "c", output: "x" };
    const healed = heal("openai-responses", {
      model: "m",
      input: [user, { ...reasoning, id: "not an id" }, call, output, user, reasoning, user],
    });
    expect((healed.input as { type: string }[]).map(({ type }) => type)).toEqual([
      "message",
      "message",
      "function_call",
      "function_call_output",
      "message",
      "message",
      "message",
    ]);
    expect(healed.input[2]).not.toHaveProperty("id");
    expect(JSON.stringify(healed).match(/hm/g)).toHaveLength(2);
  });

  it("leaves ids of items alone that never had reasoning, and reasoning without an id", () => {
    const spoken = {
      type: "message",
      role: "assistant",
      id: "msg_1",
      content: [{ type: "output_text", text: "x", annotations: [] }],
    };
    const body = {
      model: "m",
      reasoning: { effort: "low" },
      input: [user, spoken, user, { type: "reasoning", summary: [] }, { ...spoken, id: "msg_2" }, user],
    };
    expect(heal("openai-responses", body)).toBe(body);
  });

  it("does not look for calls that are with the server", () => {
    const body = {
      model: "m",
      previous_response_id: "resp_1",
      input: [{ type: "function_call_output", call_id: "c", output: "x" }],
    };
    expect(heal("openai-responses", body)).toBe(body);
  });
});

describe("Gemini", () => {
  const part = (text: string) => ({ parts: [{ text }] });

  it("pairs calls without ids by their name and place, and counts as many responses as calls", () => {
    const call = (at: number) => ({ functionCall: { name: "exec", args: { at } } });
    const answer = (output: string) => ({ functionResponse: { name: "exec", response: { output } } });
    const healed = heal("google-generative-ai", {
      model: "gemini-2.5",
      contents: [
        { role: "user", ...part("a") },
        { role: "model", parts: [call(1), call(2)] },
        { role: "user", parts: [answer("one")] },
        { role: "user", ...part("b") },
      ],
    });
    const [, calls, answers, rest] = healed.contents as { parts: unknown[] }[];
    expect(calls!.parts).toEqual([call(1), call(2)]);
    expect(answers!.parts).toHaveLength(2);
    expect(answers!.parts[0]).toEqual(answer("one"));
    expect(rest!.parts).toEqual([{ text: "b" }]);
  });

  it("asks for no more where results of another form stand behind the model's calls", () => {
    const contents = [
      { role: "user", ...part("a") },
      { role: "model", parts: [{ functionCall: { id: "f1", name: "exec", args: {} } }] },
      { role: "toolResult", toolCallId: "f1", toolName: "exec", content: [{ type: "text", text: "x" }] },
    ];
    const healed = heal("google-generative-ai", { contents: contents as unknown[] });
    expect(healed.contents).toEqual([
      contents[0],
      contents[1],
      { role: "user", parts: [{ functionResponse: { id: "f1", name: "exec", response: { output: "x" } } }] },
    ]);
  });

  it("tells Gemini 3 that a signature was lost, in the words Google documents (openclaw#63397)", () => {
    const contents = [
      { role: "user", ...part("a") },
      { role: "model", parts: [{ functionCall: { name: "exec", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "exec", response: { output: "x" } } }] },
    ];
    const healed = heal("google-generative-ai", { model: "gemini-3-pro-preview", contents });
    expect(healed.contents[1]).toMatchObject({ parts: [{ thoughtSignature: "skip_thought_signature_validator" }] });
    expect(rules("google-generative-ai", { model: "gemini-2.5-pro", contents })).toEqual([]);
  });
});

describe("Bedrock Converse", () => {
  it("alternates strictly and keeps bytes of pictures as they are", () => {
    const picture = { image: { format: "png", source: { bytes: new Uint8Array([1, 2]) } } };
    const healed = heal("bedrock-converse-stream", {
      modelId: "anthropic.claude",
      messages: [
        { role: "user", content: [{ text: "a" }] },
        { role: "user", content: [{ text: " " }, picture] },
      ],
    });
    expect(healed.messages).toEqual([{ role: "user", content: [{ text: "a" }, picture] }]);
    expect((healed.messages[0] as { content: unknown[] }).content[1]).toBe(picture);
  });

  it("does not send a picture whose text is no base64, which it refuses", () => {
    const body = {
      modelId: "anthropic.claude",
      messages: [{ role: "user", content: [{ text: "a" }, { image: { format: "png", source: { bytes: "?" } } }] }],
    };
    expect(rules("bedrock-converse-stream", body)).not.toEqual([]);
    expect(JSON.stringify(heal("bedrock-converse-stream", body).messages)).not.toContain('"image"');
    expect(rules("bedrock-converse-stream", heal("bedrock-converse-stream", body))).toEqual([]);
  });
});

describe("any API", () => {
  it("that is not known is left alone, as is a body that is none", () => {
    for (const body of [null, 5, "x", [], { messages: 5 }]) expect(healAny("ollama", body)).toBe(body);
    expect(checkAny("ollama", {})).toEqual([]);
    expect(heal("anthropic-messages", null)).toBe(null);
    expect(rules("anthropic-messages", null)).toEqual(["body_type@"]);
  });

  it("is known under OpenClaw's other names too", () => {
    for (const api of [
      "azure-openai-responses",
      "openclaw-openai-responses-transport",
      "openai-codex-responses",
      "openai-chatgpt-responses",
    ] as const)
      expect(rules(api, { input: [] })).toEqual(["history_empty@input"]);
  });

  it("does not run out of stack on arguments of any depth", () => {
    let deep: unknown = "bottom";
    for (let level = 0; level < 50_000; level++) deep = { deep };
    const healed = heal("anthropic-messages", {
      messages: [
        { role: "user", content: "a" },
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "exec", input: deep }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "x" }] },
      ],
    });
    expect(JSON.stringify(healed)).toContain("bottom");
    expect(check("anthropic-messages", healed)).toEqual([]);
  });
});

describe("prepare", () => {
  const user = { role: "user", content: "hi" };

  it("takes off signatures that the adapter would choke on, of its own API's messages only", () => {
    const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "no json" };
    const said = { type: "text", text: "x" };
    const own = [user, { role: "assistant", api: "openai-responses", content: [thinking, said] }];
    expect(prepare("openai-responses", own)[1]).toMatchObject({
      content: [{ type: "thinking", thinking: "hm" }, said],
    });
    expect(JSON.stringify(prepare("openai-responses", own))).not.toContain("no json");
    const other = [user, { role: "assistant", api: "anthropic-messages", content: [thinking, said] }];
    expect(prepare("openai-responses", other)).toBe(other);
  });

  it("gives a result the name of its tool, which Gemini asks for", () => {
    const call = { type: "toolCall", id: "a", name: "exec", arguments: {} };
    const nameless = { role: "toolResult", toolCallId: "a", content: [], isError: false };
    expect(prepare("google-generative-ai", [user, { role: "assistant", content: [call] }, nameless])[2]).toMatchObject({
      toolName: "exec",
    });
  });
});

describe("a conversation that OpenClaw began itself", () => {
  const chat = (model: string) => ({
    model,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "assistant", content: "At ten." },
      { role: "user", content: "Thanks." },
    ],
  });
  const gemini = {
    contents: [
      { role: "model", parts: [{ text: "At ten." }] },
      { role: "user", parts: [{ text: "Thanks." }] },
    ],
  };
  const converse = (modelId: string) => ({
    modelId,
    messages: [
      { role: "assistant", content: [{ text: "At ten." }] },
      { role: "user", content: [{ text: "Thanks." }] },
    ],
  });

  it("is sent as it is to the models that take it", () => {
    for (const [api, body] of [
      ["openai-completions", chat("gpt-4.1")],
      ["openai-completions", chat("deepseek-chat")],
      ["bedrock-converse-stream", converse("us.anthropic.claude-sonnet-4-5-20250929-v1:0")],
    ] as const)
      expect(heal(api, body)).toBe(body);
  });

  it("gets a user message before it for those that refuse it, and nothing else", () => {
    for (const [api, body] of [
      ["openai-completions", chat("deepseek-reasoner")],
      ["google-generative-ai", gemini],
      ["bedrock-converse-stream", converse("us.amazon.nova-pro-v1:0")],
    ] as const) {
      expect(check(api, body).map(({ rule }) => rule)).toEqual(["first_role"]);
      const given = ("contents" in body ? body.contents : body.messages) as object[];
      const healed = heal(api, body);
      const sent = ("contents" in healed ? healed.contents : healed.messages) as object[];
      expect(sent).toHaveLength(given.length + 1);
      expect(sent.filter((message) => !given.includes(message))).toEqual([expect.objectContaining({ role: "user" })]);
    }
  });
});
