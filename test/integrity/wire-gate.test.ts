import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSessionIntegrity,
  MemorySession,
  openJournal,
  type Journal,
  type SessionIntegrity,
} from "../../src/integrity/index.ts";
import { APIS, carelessBody } from "../../harness/arbitrary/bodies.ts";
import { listViolations } from "../../harness/providers/index.ts";
import { WRITERS } from "./messages.ts";

const { user, says } = WRITERS.anthropic;
let journal: Journal;
let integrity: SessionIntegrity;
beforeEach(() => {
  journal = openJournal(":memory:");
  integrity = createSessionIntegrity({ journal });
});
afterEach(() => journal.close());

const call = (use: object): object => ({
  role: "assistant",
  content: [{ type: "tool_use", id: "toolu_1", name: "exec", input: {}, ...use }],
});
const result = (fields: object): object => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "seen", ...fields }],
});

/** Histories that counted as valid and are refused by Anthropic's API. */
const REFUSED: [string, object[]][] = [
  ...["text", ["a"], null].map((input): [string, object[]] => [
    `an input that is ${JSON.stringify(input)}`,
    [call({ input }), result({})],
  ]),
  ["an id that the API does not take", [call({ id: "functions.exec:0" }), result({ tool_use_id: "functions.exec:0" })]],
  ["a name with a space", [call({ name: "run it" }), result({})]],
  ...[5, { any: "thing" }, null, ["a"], [null], true].map((content): [string, object[]] => [
    `a result's content that is ${JSON.stringify(content)}`,
    [call({}), result({ content, ...(content === null && { is_error: true }) })],
  ]),
  [
    "a result inside an assistant's message",
    [
      {
        role: "assistant",
        content: [
          ...(call({}) as { content: object[] }).content,
          { type: "tool_result", tool_use_id: "toolu_1", content: "seen" },
        ],
      },
    ],
  ],
  [
    "a call in OpenClaw's form",
    [
      { role: "assistant", content: [{ type: "toolCall", id: "toolu_1", name: "exec", arguments: {} }] },
      { role: "toolResult", toolCallId: "toolu_1", content: [{ type: "text", text: "seen" }] },
    ],
  ],
  ["a field of OpenClaw's", [call({}), { ...result({}), timestamp: 5 }]],
  [
    "a call before thinking",
    [
      {
        role: "assistant",
        content: [
          ...(call({}) as { content: object[] }).content,
          { type: "thinking", thinking: "So.", signature: "c2lnbmVk" },
        ],
      },
      result({}),
    ],
  ],
  ["half a character", [call({}), result({ content: "half \ud800" })]],
];

function refusals(messages: readonly unknown[]): string[] {
  return listViolations("anthropic-messages", {
    model: "claude-opus-4-6",
    max_tokens: 100,
    messages: [...messages],
  }).map(({ message }) => message);
}

describe("an Anthropic session with", () => {
  it.each(REFUSED)(
    "%s is not valid, is repaired in Anthropic's form, and the call gets what the API takes",
    async (_what, turn) => {
      const messages = [user("Hello"), ...turn, user("And now?")];
      expect(refusals(messages)).not.toEqual([]);
      const session = new MemorySession({ id: "s", messages });
      expect(integrity.validate(session)).toMatchObject({ valid: false });
      const { outcome, response, repaired } = await integrity.guardCall(session, async (given) => given);
      expect(outcome).toBe("answered");
      expect(repaired).toMatchObject({ repaired: true });
      expect(refusals(response!)).toEqual([]);
      expect(refusals(session.messages)).toEqual([]);
      expect(JSON.stringify(session.messages)).toMatch(/seen|any|"a"|5|true|no output|half|"content":""/);
      expect(integrity.validate(session)).toEqual({ valid: true });
      expect(await integrity.repair(session)).toMatchObject({ repaired: false });
    },
  );

  it("nothing repaired gives the call what the API takes all the same, and the store keeps what it has", async () => {
    const messages = [user("Hello"), ...REFUSED[0]![1], user("And now?")];
    const session = new MemorySession({ id: "s", messages });
    const careless = createSessionIntegrity({ journal, config: { validateBeforeCall: false } });
    const { response } = await careless.guardCall(session, async (given) => given);
    expect(refusals(response!)).toEqual([]);
    expect(session.messages).toEqual(messages);
  });

  it("a stored system prompt is valid, and its mark is not sent", async () => {
    const prompt = { role: "user", content: [{ type: "text", text: "Be brief.", isSystemPrompt: true }] };
    const session = new MemorySession({ id: "s", messages: [prompt, says("Yes."), user("Go on")] });
    expect(integrity.validate(session)).toEqual({ valid: true });
    const { response } = await integrity.guardCall(session, async (given) => given);
    expect(refusals(response!)).toEqual([]);
    expect(session.messages[0]).toEqual(prompt);
    const broken = new MemorySession({ id: "t", messages: [prompt, ...REFUSED[0]![1], user("Go on")] });
    await integrity.repair(broken);
    expect(JSON.stringify(broken.messages)).toContain('"isSystemPrompt":true');
  });

  it("a whole answer given to a tool cycle is stored as the API takes it, calls last", async () => {
    const session = new MemorySession({ id: "s", messages: [user("Hello")] });
    const answer = {
      role: "assistant",
      id: "msg_1",
      stopReason: "toolUse",
      timestamp: 5,
      content: [
        { type: "toolCall", id: "toolu_1", name: "exec", arguments: {} },
        { type: "thinking", thinking: "So.", thinkingSignature: "c2lnbmVk" },
      ],
    } as const;
    expect(await integrity.executeToolCycle(session, answer, { execute: () => ({ output: "seen" }) })).toMatchObject({
      success: true,
    });
    expect(refusals(session.messages)).toEqual([]);
    expect(session.messages[1]).toEqual({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "So.", signature: "c2lnbmVk" },
        { type: "tool_use", id: "toolu_1", name: "exec", input: {} },
      ],
    });
  });

  it("a healthy history gives the call the very messages that are stored", async () => {
    const session = new MemorySession({ id: "s", messages: [user("Hello"), call({}), result({}), user("And now?")] });
    const stored = session.messages;
    await integrity.guardCall(session, async (given) => expect(given).toBe(stored));
  });
});

describe("the gate of the body", () => {
  it.each(APIS)("heals what a program makes of OpenClaw's messages for %s", async (api) => {
    const { user: asks, calls, results } = WRITERS.openclaw;
    const session = new MemorySession({
      id: "s",
      format: "openclaw",
      messages: [asks("Hello"), calls("functions.exec:0"), ...results(["functions.exec:0", "seen"]), asks("And now?")],
    });
    const { response } = await integrity.guardCall(
      session,
      async (messages, gate) => gate.heal(carelessBody(api, messages)),
      { api },
    );
    expect(listViolations(api, response)).toEqual([]);
    expect(JSON.stringify(response)).toContain("seen");
  });

  it("is of no API that is not known: no call is made", async () => {
    let calls = 0;
    const session = new MemorySession({ id: "s", messages: [user("Hello")] });
    await expect(
      integrity.guardCall(session, async () => ++calls, { api: "anthropic" as never }),
    ).rejects.toMatchObject({
      code: "bad-api",
    });
    expect(calls).toBe(0);
  });
});
