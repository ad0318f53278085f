import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parseEvents, hello, send, understand } from "./client.ts";
import {
  APIS,
  contentFilterForms,
  startProvider,
  type Api,
  type BlockForm,
  type ContentFilterForm,
  type StrictProvider,
} from "./index.ts";

let provider: StrictProvider;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.close());
beforeEach(() => provider.reset());

const COMMAND = JSON.stringify({ command: "echo one two three four five six seven eight" });
const ALL = APIS.flatMap((api) =>
  contentFilterForms(api).map((one): [Api, string, ContentFilterForm] => [api, one.name, one]),
);

async function play(api: Api, form: BlockForm, stream = true) {
  provider.script({ kind: "fault", ...form });
  return send(provider.url, hello(api, { stream }));
}

/** What of the answer a client has in its hands. */
function left(got: ReturnType<typeof understand>): ContentFilterForm["leaves"] {
  const [call] = got.calls;
  if (call !== undefined) return call.arguments === COMMAND ? "whole-call" : "half-call";
  return got.text !== "" || got.refusal !== undefined ? "text" : "nothing";
}

test.each(ALL)("%s: %s", async (api, _name, { form, leaves }) => {
  const got = await play(api, form);
  const record = provider.requests[0];
  expect(record).toMatchObject({ fault: form.fault, refusedBy: { by: "fault", name: form.fault } });
  if (got.status !== 200) {
    expect([got.status, leaves, got.broken]).toEqual([400, "nothing", false]);
    expect(record?.error).toMatch(/filter|flagged|blocked/i);
    return;
  }
  const read = understand(api, got.bytes);
  expect(left(read)).toBe(leaves);
  // It ends for a reason or with an error, never just so and never as if nothing had been.
  const failed = read.error !== undefined;
  expect(failed).toBe(read.stop === undefined);
  if (read.refusal === undefined && !failed)
    expect(read.stop).not.toMatch(/^(stop|STOP|end_turn|completed|tool_use|tool_calls)$/);
  // Nor without a stream.
  const whole = await play(api, form, false);
  expect(whole.status).toBe(failed ? 400 : 200);
  if (!failed) expect(whole.bytes.toString()).toContain(read.stop);
});

describe("what each API says", () => {
  const last = async (api: Api, form: BlockForm) => parseEvents(api, (await play(api, form)).bytes);
  test("Anthropic: details of the refusal beside its reason", async () => {
    const events = await last("anthropic-messages", { fault: "refusal-with-text", text: "Hello.." });
    expect(events.at(-2)).toMatchObject({
      type: "message_delta",
      delta: { stop_reason: "refusal", stop_details: { type: "refusal" } },
    });
  });
  test("Azure: the categories of its filter", async () => {
    const got = await play("openai-completions", { fault: "content-filter-400" });
    expect(JSON.parse(got.bytes.toString())).toMatchObject({
      error: { code: "content_filter", innererror: { code: "ResponsibleAIPolicyViolation" } },
    });
  });
  test("OpenAI: a flagged prompt", async () => {
    const got = await play("openai-responses", { fault: "invalid-prompt-400" });
    expect(JSON.parse(got.bytes.toString())).toMatchObject({
      error: { code: "invalid_prompt", type: "invalid_request_error" },
    });
  });
  test("Responses: incomplete with its reason, the call that was cut included", async () => {
    const events = await last("openai-responses", { fault: "refusal-with-half-tool" });
    expect(events.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: {
        incomplete_details: { reason: "content_filter" },
        output: [{ type: "function_call", status: "incomplete" }],
      },
    });
  });
  test("Responses: failed as an end of the answer, numbered on", async () => {
    const events = await last("openai-responses", { fault: "response-failed-at-start" });
    expect(events.map(({ type, sequence_number }) => [type, sequence_number])).toEqual([
      ["response.created", 0],
      ["response.in_progress", 1],
      ["response.failed", 2],
    ]);
    expect(events.at(-1)).toMatchObject({ response: { status: "failed", error: { code: "invalid_prompt" } } });
  });
  test("OpenAI's two: a refusal in its own field, and an ordinary end", async () => {
    for (const api of ["openai-completions", "openai-responses"] as const) {
      const read = understand(api, (await play(api, { fault: "refusal-part", text: "No, sorry." })).bytes);
      expect(read).toMatchObject({
        text: "",
        refusal: "No, sorry.",
        stop: api === "openai-completions" ? "stop" : "completed",
      });
      expect((await play(api, { fault: "refusal-part", text: "No, sorry." }, false)).bytes.toString()).toContain(
        '"refusal":"No, sorry."',
      );
    }
  });
  test("Gemini: a blocked candidate has no content, a blocked prompt no candidate", async () => {
    const [event] = await last("google-generative-ai", { fault: "finish-recitation", text: "" });
    expect(event?.["candidates"]).toEqual([{ index: 0, finishReason: "RECITATION" }]);
    const [blocked] = await last("google-generative-ai", { fault: "prompt-blocked-safety" });
    expect(blocked).toMatchObject({ promptFeedback: { blockReason: "SAFETY" } });
    expect(blocked).not.toHaveProperty("candidates");
  });
  test("Bedrock: the guardrail's own message", async () => {
    const read = understand(
      "bedrock-converse-stream",
      (await play("bedrock-converse-stream", { fault: "finish-guardrail" })).bytes,
    );
    expect(read).toMatchObject({ stop: "guardrail_intervened", text: "Sorry, the model cannot answer this question." });
  });
  test("Mistral: half a call cannot come", async () => {
    provider.script({ kind: "fault", fault: "refusal-with-half-tool" });
    const got = await send(provider.url, hello("openai-completions", { model: "mistral-large" }));
    expect(understand("openai-completions", got.bytes)).toMatchObject({ calls: [], stop: "content_filter" });
  });
});
