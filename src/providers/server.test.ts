import { connect } from "node:http2";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parseEvents, hello, send, understand } from "../../harness/providers/client.ts";
import { refusedRequest } from "../../harness/providers/histories.ts";
import { APIS, signThinking, startProvider, type Api, type StrictProvider } from "./index.ts";

let provider: StrictProvider;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.close());
beforeEach(() => provider.reset());

const STOPS: Record<Api, { text: string; tool: string }> = {
  "anthropic-messages": { text: "end_turn", tool: "tool_use" },
  "openai-completions": { text: "stop", tool: "tool_calls" },
  "openai-responses": { text: "completed", tool: "completed" },
  "google-generative-ai": { text: "STOP", tool: "STOP" },
  "bedrock-converse-stream": { text: "end_turn", tool: "tool_use" },
};

test("lets a page of another origin in, whose question whether it may is no request", async () => {
  const { path } = hello("anthropic-messages");
  const asked = await fetch(provider.url + path, { method: "OPTIONS" });
  expect([asked.ok, asked.headers.get("access-control-allow-headers")]).toEqual([true, "*"]);
  const { headers } = await send(provider.url, hello("anthropic-messages"));
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(provider.requests).toHaveLength(1);
});

describe.each(APIS)("%s", (api) => {
  test("streams text", async () => {
    const got = await send(provider.url, hello(api));
    expect(got.status).toBe(200);
    expect(got.headers.get("content-type")).toMatch(/event-?stream/);
    expect(understand(api, got.bytes)).toEqual({ text: "ok 1", thinking: "", calls: [], stop: STOPS[api].text });
  });

  test("streams thinking, text and two calls", async () => {
    provider.script({
      kind: "tool",
      thinking: "I need two",
      text: "on it",
      calls: [
        { id: "mine", name: "exec", arguments: { command: "ls" } },
        { name: "read", arguments: {} },
      ],
    });
    const got = understand(api, (await send(provider.url, hello(api))).bytes);
    expect(got).toMatchObject({ text: "on it", thinking: "I need two", stop: STOPS[api].tool });
    expect(got.calls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual([
      ["exec", { command: "ls" }],
      ["read", {}],
    ]);
    expect(got.calls[0]?.id).toBe("mine");
    expect(got.calls[1]?.id).toMatch(/^[a-zA-Z0-9_-]{8,40}$/);
  });

  test("answers in one document", async () => {
    const call = { id: "mine", name: "exec", arguments: { command: "ls" } };
    provider.script({ kind: "tool", thinking: "hm", text: "on it", calls: [call] });
    const got = await send(provider.url, hello(api, { stream: false }));
    expect(got.headers.get("content-type")).toBe("application/json");
    const text = got.bytes.toString();
    for (const word of ["hm", "on it", "mine", "exec", "ls"]) expect(text).toContain(word);
  });

  test("refuses in its own envelope, uses no step for it, and records why", async () => {
    provider.script({ kind: "text", text: "scripted" });
    const refused = await send(provider.url, refusedRequest(api));
    expect(refused.status).toBe(400);
    const body = JSON.parse(refused.bytes.toString()) as { error?: { message: string }; message?: string };
    const record = provider.requests[0];
    expect(record).toMatchObject({ api, status: 400 });
    expect(record?.error).toBe(record?.violations[0]);
    expect(body.error?.message ?? body.message).toBe(record?.error);
    const accepted = await send(provider.url, hello(api));
    expect(understand(api, accepted.bytes).text).toBe("scripted");
    expect(provider.requests[1]).toMatchObject({ api, status: 200, violations: [], body: hello(api).body });
  });

  test("refuses what is no JSON", async () => {
    const response = await fetch(provider.url + hello(api).path, { method: "POST", body: "{" });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("not valid JSON");
  });

  test("keeps ids of calls unique over resets", async () => {
    const ids = new Set<string | undefined>();
    for (let i = 0; i < 3; i++) {
      provider.script({ kind: "tool", calls: [{ name: "exec", arguments: {} }] });
      ids.add(understand(api, (await send(provider.url, hello(api))).bytes).calls[0]?.id);
      provider.reset();
      expect(provider.requests).toEqual([]);
    }
    expect(ids.size).toBe(3);
  });
});

async function refusal(api: Api): Promise<{ type: string | null; body: unknown }> {
  const got = await send(provider.url, refusedRequest(api));
  return { type: got.headers.get("x-amzn-errortype"), body: JSON.parse(got.bytes.toString()) as unknown };
}

describe("the envelopes of errors", () => {
  test("Anthropic", async () => {
    expect((await refusal("anthropic-messages")).body).toEqual({
      type: "error",
      error: { type: "invalid_request_error", message: expect.stringContaining("non-empty") },
    });
  });
  test("OpenAI", async () => {
    expect((await refusal("openai-responses")).body).toEqual({
      error: {
        message: expect.stringContaining("No tool call found"),
        type: "invalid_request_error",
        param: "input",
        code: null,
      },
    });
  });
  test("Gemini", async () => {
    expect((await refusal("google-generative-ai")).body).toEqual({
      error: { code: 400, message: expect.stringContaining("oneof"), status: "INVALID_ARGUMENT" },
    });
  });
  test("Bedrock", async () => {
    expect(await refusal("bedrock-converse-stream")).toEqual({
      type: "ValidationException",
      body: { message: expect.stringContaining("is blank") },
    });
  });
  test("Mistral", async () => {
    const body = {
      model: "mistral-large",
      messages: [
        { role: "user", content: "x" },
        { role: "assistant", content: "y" },
      ],
    };
    const got = await send(provider.url, { path: "/v1/chat/completions", body });
    expect(JSON.parse(got.bytes.toString())).toMatchObject({ object: "error", code: "3230" });
  });
});

describe("the server", () => {
  test("serves a step only to its own API, and as often as it says", async () => {
    provider.script(
      { kind: "text", text: "for gemini", api: "google-generative-ai" },
      { kind: "text", text: "twice", times: 2 },
    );
    const say = async (api: Api) => understand(api, (await send(provider.url, hello(api))).bytes).text;
    expect(await say("anthropic-messages")).toBe("twice");
    expect(await say("google-generative-ai")).toBe("for gemini");
    expect(await say("google-generative-ai")).toBe("twice");
    expect(await say("anthropic-messages")).toBe("ok 4");
  });

  test("finds the APIs behind any prefix, and the model in the path", async () => {
    for (const api of APIS) {
      const sent = hello(api, { model: "eu.anthropic.claude-x:0" });
      const got = await send(provider.url, { ...sent, path: `/some/prefix${sent.path}` });
      expect(got.status).toBe(200);
    }
    expect(provider.requests.map(({ api }) => api)).toEqual(APIS);
    const gemini = await send(provider.url, hello("google-generative-ai", { model: "tuned%2Fmodel" }));
    expect(parseEvents("google-generative-ai", gemini.bytes)[0]?.["modelVersion"]).toBe("tuned/model");
  });

  test("knows no other path and no other method", async () => {
    expect((await send(provider.url, { path: "/v1/models", body: {} })).status).toBe(404);
    expect((await fetch(`${provider.url}/v1/messages`)).status).toBe(404);
    expect(provider.requests.map(({ api }) => api)).toEqual(["unknown", "anthropic-messages"]);
  });

  test("speaks HTTP/2 without TLS on the same port", async () => {
    const { path, body } = hello("bedrock-converse-stream");
    const session = connect(provider.url);
    const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/json" });
    stream.end(JSON.stringify(body));
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    session.close();
    expect(understand("bedrock-converse-stream", Buffer.concat(chunks)).text).toBe("ok 1");
  });

  test("sends a call of Mistral's whole, with an id that Mistral takes back", async () => {
    provider.script({ kind: "tool", calls: [{ name: "exec", arguments: { command: "ls" } }] });
    const got = await send(provider.url, hello("openai-completions", { model: "mistral-large" }));
    const events = parseEvents("openai-completions", got.bytes).filter((event) =>
      JSON.stringify(event).includes('tool_calls":['),
    );
    expect(events).toHaveLength(1);
    const [call] = understand("openai-completions", got.bytes).calls;
    expect(call?.id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(call?.arguments).toBe('{"command":"ls"}');
  });

  test("takes the history that it made itself: its thinking, its calls, and their results", async () => {
    provider.script({ kind: "tool", thinking: "hm", calls: [{ name: "exec", arguments: {} }] });
    const first = understand("anthropic-messages", (await send(provider.url, hello("anthropic-messages"))).bytes);
    const id = first.calls[0]?.id;
    const { path, body } = hello("anthropic-messages");
    const messages = [
      { role: "user", content: "hello" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: signThinking("hm") },
          { type: "tool_use", id, name: "exec", input: {} },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "done" }] },
    ];
    const got = await send(provider.url, { path, body: { ...body, messages } });
    expect(provider.requests[1]?.violations).toEqual([]);
    expect(got.status).toBe(200);
  });

  test("does not keep a body that is larger than it may be: one of gigabytes would end the process", async () => {
    const own = await startProvider({ maxBytes: 1000 });
    const big = { ...hello("anthropic-messages", { content: "x".repeat(1_000_000) }) };
    await send(own.url, big).catch(() => "broken");
    expect(own.requests.map(({ raw, status }) => [raw, status])).toEqual([["", 413]]);
    expect((await send(own.url, hello("anthropic-messages"))).status).toBe(200);
    await own.close();
  });

  test("closes with requests under way", async () => {
    const own = await startProvider();
    own.script({ kind: "fault", fault: "hang" });
    const hanging = send(own.url, hello("anthropic-messages")).catch(() => "broken");
    while (own.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await own.close();
    expect(await hanging).toBe("broken");
  });
});

test("plays the host that it is told: DeepSeek takes nothing between calls and outputs, whatever the model's name", async () => {
  const input = [
    { type: "message", role: "user", content: "go" },
    { type: "function_call", call_id: "call_1", name: "exec", arguments: "{}" },
    { type: "message", role: "developer", content: "hook" },
    { type: "function_call_output", call_id: "call_1", output: "exit 0" },
  ];
  const request = { path: "/v1/responses", body: { model: "of-nobody-known", input } };
  const deepSeek = await startProvider({ host: "api.deepseek.com" });
  try {
    const ask = async (url: string): Promise<number> =>
      (await fetch(`${url}${request.path}`, { method: "POST", body: JSON.stringify(request.body) })).status;
    expect([await ask(provider.url), await ask(deepSeek.url)]).toEqual([200, 400]);
  } finally {
    await deepSeek.close();
  }
});
