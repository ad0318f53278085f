/** Answers of OpenAI's Chat Completions API: their calls are read, and what is sent again is in that API's form. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSessionIntegrity,
  JsonlSession,
  MemorySession,
  openJournal,
  type ChatAnswer,
  type Journal,
  type SessionIntegrity,
} from "../../src/integrity/index.ts";
import { listViolations } from "../../harness/providers/index.ts";
import { WRITERS } from "./messages.ts";

let journal: Journal;
let integrity: SessionIntegrity;
beforeEach(() => {
  journal = openJournal(":memory:");
  integrity = createSessionIntegrity({ journal });
});
afterEach(() => journal.close());

const call = (id: string, args: string) =>
  ({ type: "function", id, function: { name: "read", arguments: args } }) as const;
const answer = (...calls: object[]): ChatAnswer => ({ role: "assistant", content: null, tool_calls: calls });
const echo = { execute: (name: string, input: unknown) => ({ output: `${name} ${JSON.stringify(input)}` }) };

describe.each(["anthropic", "openclaw"] as const)("a chat answer, in a session of %s's format", (format) => {
  const open = (): MemorySession => new MemorySession({ id: "s", format, messages: [WRITERS[format].user("Read")] });
  const valid = (session: MemorySession) =>
    expect(integrity.validate(session, { allowOpenEnd: false })).toEqual({ valid: true });

  it("its calls run with their parsed arguments, its words are kept, and the history is valid", async () => {
    const session = open();
    const given = { ...answer(call("call_a", '{"file":"a"}'), call("call_b", "")), content: "I look.", refusal: null };
    const { success, results } = await integrity.executeToolCycle(session, given, echo);
    expect(success).toBe(true);
    expect(results?.map(({ content }) => JSON.stringify(content))).toEqual([
      expect.stringContaining(String.raw`read {\"file\":\"a\"}`) as string,
      expect.stringContaining("read {}") as string,
    ]);
    expect(JSON.stringify(session.messages[1])).toContain("I look.");
    valid(session);
  });

  it("one call of it alone too", async () => {
    const session = open();
    expect(await integrity.executeToolCycle(session, call("call_a", '{"file":"a"}'), echo)).toMatchObject({
      success: true,
    });
    expect(JSON.stringify(session.messages)).toContain('{"file":"a"}');
    valid(session);
  });

  it.each(['{"file":', "[1]", "5"])(
    "arguments that are no object, %s: no tool runs, and the model is told",
    async (text) => {
      const session = open();
      const tool = { execute: (): never => expect.unreachable() };
      expect(await integrity.executeToolCycle(session, answer(call("call_a", text)), tool)).toMatchObject({
        success: false,
        rolledBack: true,
        error: expect.stringContaining("arguments of the call") as string,
      });
      const recorded = { thrown: "record" } as const;
      await integrity.executeToolCycle(session, answer(call("call_a", text)), tool, recorded);
      expect(JSON.stringify(session.messages.at(-1))).toContain("arguments of the call");
      valid(session);
    },
  );

  it.each(["openai-completions", "openai-responses", "bedrock-converse-stream"] as const)(
    "goes to %s with its results, beside a system prompt",
    async (api) => {
      const session = open();
      await integrity.executeToolCycle(session, answer(call("call_a", "{}"), call("call_b", "{}")), echo);
      const field = api === "openai-responses" ? "input" : "messages";
      const system = api === "openai-completions" ? [{ role: "system", content: "Be short." }] : [];
      const { response } = await integrity.guardCall(
        session,
        async (messages, gate) => gate.heal({ model: "gpt-5", [field]: [...system, ...messages] }),
        { api },
      );
      expect(listViolations(api, response)).toEqual([]);
      const sent = JSON.stringify(response);
      expect(sent).not.toContain("No result of this tool call");
      expect(sent.match(/call_[ab]/g)).toHaveLength(4);
      if (api === "openai-completions")
        expect((response as unknown as { messages: { role: string }[] }).messages.map(({ role }) => role)).toEqual([
          "system",
          "user",
          "assistant",
          "tool",
          "tool",
        ]);
    },
  );

  it("is not lost in a body for Google, whose contents have another form", async () => {
    const session = open();
    await integrity.executeToolCycle(session, answer(call("call_a", '{"file":"a"}'), call("call_b", "{}")), echo);
    const { response } = await integrity.guardCall(
      session,
      async (messages, gate) => gate.heal({ contents: [...messages] }),
      { api: "google-generative-ai" },
    );
    expect(listViolations("google-generative-ai", response)).toEqual([]);
    const contents = response?.contents as unknown as { role: string; parts: object[] }[];
    expect(contents.map(({ role, parts }) => [role, parts.length])).toEqual([
      ["user", 1],
      ["model", 2],
      ["user", 2],
    ]);
    expect(JSON.stringify(contents)).toContain(String.raw`read {\"file\":\"a\"}`);
  });
});

it("a call that is no function call is named, and an answer without calls too", async () => {
  const session = new MemorySession({ id: "s" });
  await expect(
    integrity.executeToolCycle(session, answer({ type: "custom", id: "c", custom: {} }), echo),
  ).rejects.toMatchObject({ code: "bad-call", message: expect.stringContaining('"custom"') as string });
  await expect(integrity.executeToolCycle(session, answer(), echo)).rejects.toMatchObject({ code: "bad-call" });
});

it("a format that no session has is refused, with the names of those that there are", () => {
  for (const format of ["openai", "", null, 5]) {
    const bad = { id: "s", format: format as never };
    expect(() => new MemorySession(bad)).toThrow(
      expect.objectContaining({
        code: "bad-input",
        message: expect.stringMatching(/"anthropic" or "openclaw"/) as string,
      }),
    );
    for (const make of [
      () => JsonlSession.create("/nowhere/s.jsonl", bad),
      () => new JsonlSession("/nowhere/s.jsonl", bad),
    ])
      expect(make).toThrow(expect.objectContaining({ code: "bad-input" }));
  }
});
