/**
 * The official clients under their strict types: what they take and give goes through the library without a cast. The
 * compiler is the test; that the calls are made shows that the types are those of the real clients.
 */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { expect, it } from "vitest";
import { createSessionIntegrity, MemorySession, openJournal } from "../../src/integrity/index.ts";
import { repair, validate } from "../../src/lists/index.ts";
import { heal } from "../../src/wire/index.ts";

type Sent = Record<string, unknown>;

/** A fetch that gives these answers, and what it was sent. */
function answering(...answers: object[]): { fetch: typeof fetch; sent: Sent[] } {
  const sent: Sent[] = [];
  return {
    sent,
    fetch: async (_url, init) => {
      sent.push(JSON.parse(String(init?.body)) as Sent);
      return Response.json(answers[sent.length - 1]);
    },
  };
}

const ASKED = { id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "tool_use", usage: {} };
const CALL = { type: "tool_use", id: "toolu_1", name: "pay", input: { invoice: 17 } };

it("Anthropic's client is called in guardCall, and its answer is a tool cycle", async () => {
  const { fetch, sent } = answering({ ...ASKED, content: [CALL] });
  const client = new Anthropic({ apiKey: "none", baseURL: "http://localhost", fetch });
  const journal = openJournal(":memory:");
  const integrity = createSessionIntegrity({ journal });
  const session = new MemorySession({ id: "s", messages: [{ role: "user", content: "Pay" }] });
  const call = await integrity.guardCall(session, (messages) =>
    client.messages.create({ model: "claude-opus-4-6", max_tokens: 1, messages }),
  );
  if (call.outcome !== "answered") return expect.unreachable(call.error);
  expect(call.response.stop_reason).toBe("tool_use");
  const message = { role: "assistant" as const, content: call.response.content };
  await integrity.executeToolCycle(session, message, { execute: async () => ({ output: "paid" }) });
  expect(sent[0]!["messages"]).toEqual([{ role: "user", content: "Pay" }]);
  expect(session.messages).toHaveLength(3);
  journal.close();
});

it("OpenAI's client is called in guardCall, with the messages under its own type", async () => {
  const asked = { id: "c1", type: "function", function: { name: "pay", arguments: "{}" } };
  const { fetch } = answering({ choices: [{ message: { role: "assistant", content: null, tool_calls: [asked] } }] });
  const client = new OpenAI({ apiKey: "none", baseURL: "http://localhost", fetch });
  const journal = openJournal(":memory:");
  const integrity = createSessionIntegrity({ journal });
  const session = new MemorySession({ id: "s", messages: [{ role: "user", content: "Pay" }] });
  const call = await integrity.guardCall(
    session,
    (messages: OpenAI.Chat.Completions.ChatCompletionMessageParam[], gate) =>
      client.chat.completions.create(gate.heal({ model: "gpt-5", messages })),
    { api: "openai-completions" },
  );
  if (call.outcome !== "answered") return expect.unreachable(call.error);
  await integrity.executeToolCycle(session, call.response.choices[0]!.message, { execute: async () => "paid" });
  expect(session.messages).toHaveLength(3);
  journal.close();
});

it("a response of OpenAI's client is a tool cycle, whole or its output alone, and its reasoning is sent again", async () => {
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" };
  const asked = { type: "function_call", id: "fc_1", call_id: "c1", name: "pay", arguments: "{}" };
  const { fetch, sent } = answering(
    { object: "response", output: [reasoning, asked] },
    { object: "response", output: [{ ...asked, call_id: "c2" }] },
  );
  const client = new OpenAI({ apiKey: "none", baseURL: "http://localhost", fetch });
  const journal = openJournal(":memory:");
  const integrity = createSessionIntegrity({ journal });
  const user = { role: "user", content: [{ type: "text", text: "Pay" }], timestamp: 0 };
  const session = new MemorySession({ id: "s", format: "openclaw", messages: [user] });
  const ask = () =>
    integrity.guardCall(
      session,
      (input: OpenAI.Responses.ResponseInputItem[], gate) =>
        client.responses.create(gate.heal({ model: "gpt-5", input })),
      { api: "openai-responses" },
    );
  const first = await ask();
  if (first.outcome !== "answered") return expect.unreachable(first.error);
  await integrity.executeToolCycle(session, first.response, { execute: async () => "paid" });
  const second = await ask();
  if (second.outcome !== "answered") return expect.unreachable(second.error);
  await integrity.executeToolCycle(session, { output: second.response.output }, { execute: async () => "paid" });
  const { id: _item, ...call } = asked;
  expect(sent[1]!["input"]).toMatchObject([{ role: "user" }, reasoning, call, { type: "function_call_output" }]);
  expect(session.messages).toHaveLength(5);
  journal.close();
});

/** As @google/genai declares them. */
interface Part {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: { id?: string; name?: string; args?: Record<string, unknown> };
}
interface Content {
  parts?: Part[];
  role?: string;
}

it("a candidate's content of Google's client is a tool cycle", async () => {
  const journal = openJournal(":memory:");
  const integrity = createSessionIntegrity({ journal });
  const user = { role: "user", content: [{ type: "text", text: "Pay" }], timestamp: 0 };
  const session = new MemorySession({ id: "s", format: "openclaw", messages: [user] });
  const generate = async ({ contents }: { contents: Content[] }): Promise<{ candidates?: { content?: Content }[] }> => {
    expect(contents).toEqual([{ role: "user", parts: [{ text: "Pay" }] }]);
    return { candidates: [{ content: { role: "model", parts: [{ functionCall: { name: "pay", args: {} } }] } }] };
  };
  const call = await integrity.guardCall(session, (contents: Content[], gate) => generate(gate.heal({ contents })), {
    api: "google-generative-ai",
  });
  const content = call.response?.candidates?.[0]?.content;
  if (!content) return expect.unreachable(call.error);
  await integrity.executeToolCycle(session, content, { execute: async () => "paid" });
  await integrity.executeToolCycle(session, { role: "model", parts: content.parts }, { execute: async () => "paid" });
  // @ts-expect-error: words are no call
  const words = integrity.executeToolCycle(session, { text: "Pay" }, { execute: async () => "paid" });
  await expect(words).rejects.toMatchObject({ code: "bad-call" });
  expect(session.messages).toHaveLength(3);
  journal.close();
});

it("typed lists and bodies stay typed behind repair and heal", async () => {
  const anthropic: Anthropic.MessageParam[] = [{ role: "user", content: "Pay" }];
  const chat: OpenAI.Chat.Completions.ChatCompletionMessageParam[] = [{ role: "user", content: "Pay" }];
  const items: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: "Pay" }];
  const params: Anthropic.MessageCreateParamsNonStreaming = {
    model: "claude-sonnet-4-5",
    max_tokens: 1,
    messages: repair(anthropic).messages,
  };
  const completion: OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming = {
    model: "gpt-5",
    messages: repair(chat).messages,
  };
  const response: OpenAI.Responses.ResponseCreateParamsNonStreaming = { model: "gpt-5", input: repair(items).messages };
  const healed: Anthropic.MessageCreateParamsNonStreaming = heal("anthropic-messages", params);
  expect([healed, heal("openai-completions", completion), heal("openai-responses", response)]).toEqual([
    params,
    completion,
    response,
  ]);
  expect([params.messages, completion.messages, response.input]).toEqual([anthropic, chat, items]);
  const frozen: readonly Anthropic.MessageParam[] = anthropic;
  expect(repair(frozen).messages).toBe(frozen);
  expect(validate(frozen)).toEqual([]);
});
