/** What only one framework has. */
import { describe, expect, it } from "vitest";
import { repair, validate } from "../index.ts";

type Json = Record<string, unknown>;
const same = (list: Json[]): void => {
  expect(validate(list)).toEqual([]);
  expect(repair(list).messages).toBe(list);
};

describe("AI SDK ModelMessage", () => {
  const user: Json = { role: "user", content: "Pay" };
  const called = (more: Json = {}): Json => ({
    type: "tool-call",
    toolCallId: "c1",
    toolName: "pay",
    input: { invoice: 17 },
    ...more,
  });
  const answered = (output: unknown = { type: "text", value: "paid" }): Json => ({
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "c1", toolName: "pay", output }],
  });

  it("leaves calls that the provider executes, and reasoning and files, as they are", () => {
    const reasoning = { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "s" } } };
    const result = { type: "tool-result", toolCallId: "c1", toolName: "web", output: { type: "json", value: [] } };
    same([user, { role: "assistant", content: [reasoning, called({ providerExecuted: true }), result] }]);
    same([
      { role: "user", content: [{ type: "file", data: "a", mediaType: "image/png" }] },
      { role: "assistant", content: "ok" },
    ]);
  });

  it("leaves a call open of which a person is asked, until the conversation goes on without the answer", () => {
    const asked = {
      role: "assistant",
      content: [called(), { type: "tool-approval-request", approvalId: "a", toolCallId: "c1" }],
    };
    const response = { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a", approved: true }] };
    same([user, asked]);
    same([user, asked, response]);
    same([user, asked, response, answered(), { role: "assistant", content: "Paid" }]);
    const { messages, repairs } = repair<Json>([user, asked, user, { role: "assistant", content: "What?" }]);
    expect(repairs.map(({ kind }) => kind)).toEqual(["missing_tool_result"]);
    expect(messages[1]).toBe(asked);
  });

  it("gives a call that a person denied its denial as the result once the conversation goes on", () => {
    const request = { type: "tool-approval-request", approvalId: "a", toolCallId: "c1" };
    const asked = { role: "assistant", content: [called(), request] };
    const denial = { type: "tool-approval-response", approvalId: "a", approved: false, reason: "no" };
    const response = { role: "tool", content: [denial] };
    same([user, asked, response]);
    for (const next of [user, { role: "assistant", content: "Then not." }]) {
      const { messages } = repair<Json>([user, asked, response, next]);
      expect(messages).toContainEqual(answered({ type: "execution-denied", reason: "no" }));
      expect(messages).toEqual(expect.arrayContaining([user, asked, response, next]));
      same(messages);
    }
  });

  it("keeps results of every kind, and joins what is stored twice in the kind that it has", () => {
    for (const output of [
      { type: "json", value: { paid: true } },
      { type: "error-json", value: null },
      { type: "execution-denied", reason: "no" },
      { type: "content", value: [{ type: "media", data: "a", mediaType: "image/png" }] },
    ])
      same([user, { role: "assistant", content: [called()] }, answered(output)]);
    const parts = { type: "content", value: [{ type: "text", text: "first" }] };
    const { messages } = repair<Json>([user, { role: "assistant", content: [called()] }, answered(parts), answered()]);
    expect(JSON.stringify(messages[2])).toMatch(/"type":"content".*first.*paid/);
    expect(messages).toHaveLength(3);
  });

  it("leaves an input that is a free text, and takes one that was cut off as the field of an object", () => {
    same([user, { role: "assistant", content: [called({ input: "ls -l" })] }, answered()]);
    const cut = { role: "assistant", content: [called({ input: '{"invoice":1' })] };
    const { messages } = repair<Json>([user, cut, answered()]);
    expect(messages[1]).toEqual({ role: "assistant", content: [called({ input: { input: '{"invoice":1' } })] });
  });
});

describe("AI SDK UIMessage", () => {
  const part = (more: Json): Json => ({ type: "tool-pay", toolCallId: "c1", input: {}, ...more });
  const ui = (role: string, ...parts: Json[]): Json => ({ id: role, role, parts });

  it("keeps the one with the result of two messages of one answer, and both where the results differ", () => {
    const user = ui("user", { type: "text", text: "Pay" });
    const open = ui("assistant", part({ state: "input-available" }));
    const done = ui("assistant", part({ state: "output-available", output: "paid" }));
    const other = ui("assistant", part({ state: "output-available", output: "paid again" }));
    for (const list of [
      [user, open, done, user],
      [user, done, open, user],
      [user, open, open, done, done, user],
    ])
      expect(repair(list).messages).toEqual([user, done, user]);
    expect(JSON.stringify(repair([user, done, other, user]).messages)).toMatch(/"paid".*"paid again"/);
  });

  it("leaves what the AI SDK itself does not send, and what waits for a person", () => {
    same([
      ui("user", { type: "text", text: "Pay" }),
      ui("assistant", part({ state: "input-streaming", input: '{"in' })),
    ]);
    same([ui("assistant"), ui("user", { type: "text", text: "a" }), ui("assistant", { type: "step-start" })]);
    same([ui("assistant", part({ state: "approval-requested", approval: { id: "a" } }))]);
    same([
      ui("assistant", part({ state: "input-available", providerExecuted: true })),
      ui("user", { type: "data-x", data: 1 }),
    ]);
    same([ui("assistant", part({ state: "output-available", output: null }))]);
  });

  it("leaves a call that failed because its input could not be read", () => {
    for (const input of [{}, { input: undefined }]) {
      const unread = { type: "tool-pay", toolCallId: "c1", state: "output-error", rawInput: '{"ci', errorText: "boom" };
      same([ui("assistant", { ...unread, ...input }), ui("user", { type: "text", text: "b" })]);
    }
  });

  it("says of a call that a person denied that it was denied, and not that it may have run", () => {
    const approval = { id: "a", approved: false, reason: "no" };
    const denied = part({ state: "approval-responded", approval });
    same([ui("assistant", denied)]);
    const { messages } = repair<Json>([ui("assistant", denied), ui("user", { type: "text", text: "b" })]);
    expect(messages[0]!["parts"]).toEqual([part({ state: "output-denied", approval })]);
    same(messages);
  });

  it("says of a call that was not approved that it was not started, and of another open one that it may have run", () => {
    const { messages } = repair<Json>([
      ui(
        "assistant",
        part({ state: "approval-requested", approval: { id: "a" } }),
        part({ toolCallId: "c2", state: "input-available" }),
      ),
      ui("user", { type: "text", text: "b" }),
    ]);
    expect(messages[0]!["parts"]).toEqual([
      part({
        state: "output-error",
        approval: { id: "a" },
        errorText: expect.stringContaining("not started") as string,
      }),
      part({ toolCallId: "c2", state: "output-error", errorText: expect.stringContaining("may have run") as string }),
    ]);
  });
});

describe("LangChain's stored messages", () => {
  const human: Json = { type: "human", data: { content: "Pay" } };
  const tool = (id: string): Json => ({ type: "tool", data: { content: "paid", tool_call_id: id, name: "pay" } });
  const call = (id: string): Json => ({ id, name: "pay", args: { invoice: 17 }, type: "tool_call" });

  it("says of a call without a result that it is an error, as the status of a ToolMessage has it", () => {
    const asks = {
      type: "ai",
      data: { content: "", tool_calls: [{ id: "c1", name: "pay", args: {}, type: "tool_call" }] },
    };
    expect(repair<Json>([asks]).messages[1]).toMatchObject({
      type: "tool",
      data: { status: "error", tool_call_id: "c1" },
    });
  });

  it("keeps the words of two messages with the same call, and the call once", () => {
    const says = (content: string): Json => ({
      type: "ai",
      data: { content, tool_calls: [{ id: "c1", name: "pay", args: { invoice: 17 }, type: "tool_call" }] },
    });
    const paid = { type: "tool", data: { content: "paid", tool_call_id: "c1", name: "pay" } };
    const { messages } = repair<Json>([says("I pay."), says("I pay now."), paid]);
    expect(JSON.stringify(messages).match(/I pay now|I pay|"args"|paid/g)).toEqual([
      "I pay",
      '"args"',
      "paid",
      "I pay now",
    ]);
    expect(repair(messages).messages).toBe(messages);
  });

  it("gives a call a new id in its content and in OpenAI's own calls too", () => {
    const raw = { id: "c1", type: "function", function: { name: "pay", arguments: "{}" } };
    const ai = {
      type: "ai",
      data: {
        content: [{ type: "tool_use", id: "c1", name: "pay", input: {} }],
        tool_calls: [call("c1")],
        additional_kwargs: { tool_calls: [raw] },
      },
    };
    same([human, ai, tool("c1")]);
    const { messages } = repair<Json>([human, ai, tool("c1"), ai, tool("c1")]);
    expect(messages.slice(0, 4).map((row) => JSON.stringify(row).split('"c1"').length - 1)).toEqual([0, 3, 1, 0]);
    const id = (messages[4]!["data"] as Json)["tool_call_id"] as string;
    expect(JSON.stringify(messages[3]).split(`"${id}"`)).toHaveLength(4);
    expect(validate(messages)).toEqual([]);
  });

  it("reads OpenAI's own calls where a message has no others", () => {
    const raw = { id: "c1", type: "function", function: { name: "pay", arguments: "{}" } };
    const ai = { type: "ai", data: { content: "", additional_kwargs: { tool_calls: [raw] } } };
    same([human, ai, tool("c1")]);
    expect(validate([human, ai]).map(({ kind, id }) => [kind, id])).toEqual([["missing_tool_result", "c1"]]);
  });

  it("keeps a message that says something only beside its content", () => {
    const beside = [
      { function_call: { name: "send_money", arguments: '{"to":"a17"}' } },
      { refusal: "I will not." },
      { reasoning_content: "hm" },
      { audio: { id: "a", data: "AAAA" } },
      { tool_outputs: [{ type: "web_search_call", id: "w" }] },
    ];
    for (const additional_kwargs of beside)
      for (const content of ["", []])
        same([
          human,
          { type: "ai", data: { content, additional_kwargs } },
          { type: "human", data: { content, additional_kwargs } },
        ]);
    const empty = { type: "ai", data: { content: "", additional_kwargs: { refusal: null, tool_calls: [] } } };
    expect(repair<Json>([human, empty, human]).messages).toEqual([human, human]);
  });

  it("leaves a call that could not be read and has its result, and keeps the error of one that has none", () => {
    const unread = { id: "c1", name: "pay", args: '{"inv', error: "no JSON", type: "invalid_tool_call" };
    const raw = { id: "c1", type: "function", function: { name: "pay", arguments: '{"inv' } };
    const data = { content: "", invalid_tool_calls: [unread] };
    for (const more of [{}, { tool_calls: [] }, { additional_kwargs: { tool_calls: [raw] } }])
      same([human, { type: "ai", data: { ...data, ...more } }, tool("c1"), human]);
    const { messages } = repair<Json>([human, { type: "ai", data }, human]);
    expect(messages[1]!["data"]).toMatchObject({
      tool_calls: [{ id: "c1", error: "no JSON" }],
      invalid_tool_calls: [],
    });
    expect(messages[2]).toMatchObject({ type: "tool", data: { tool_call_id: "c1" } });
    same(messages);
    const ai = { type: "ai", data };
    same(repair<Json>([human, ai, tool("c1"), ai, tool("c1")]).messages);
  });

  it("keeps the artifacts of results that are joined", () => {
    const ai = { type: "ai", data: { content: "", tool_calls: [call("c1")] } };
    const made = (content: string, artifact?: unknown): Json => ({
      type: "tool",
      data: { content, tool_call_id: "c1", name: "pay", ...(artifact !== undefined && { artifact }) },
    });
    for (const second of ["paid", "sent"]) {
      const { messages } = repair<Json>([human, ai, made("paid"), made(second, { pdf: 2 })]);
      expect(messages[2]).toMatchObject({ data: { artifact: { pdf: 2 } } });
      const both = repair<Json>([human, ai, made("paid", { pdf: 1 }), made(second, { pdf: 2 })]).messages;
      expect(both).toHaveLength(3);
      expect(both[2]).toMatchObject({
        data: { artifact: { pdf: 1 }, additional_kwargs: { further_artifacts: [{ pdf: 2 }] } },
      });
      expect((both[2]!["data"] as Json)["content"]).not.toContain("pdf");
      same(both);
    }
  });
});

describe("openai-agents items", () => {
  it("leaves items that the server or a hosted tool made, and other fields of a call", () => {
    const list = [
      { role: "user", content: [{ type: "input_text", text: "Pay" }] },
      { type: "reasoning", id: "r", content: [{ type: "input_text", text: "hm" }] },
      { type: "hosted_tool_call", name: "web_search_call", id: "w", status: "completed" },
      {
        type: "function_call",
        callId: "c1",
        name: "pay",
        arguments: "{}",
        status: "completed",
        providerData: { a: 1 },
      },
      {
        type: "function_call_result",
        callId: "c1",
        name: "pay",
        status: "completed",
        output: [{ type: "image", image: "a" }],
      },
    ];
    same(list);
    const { messages } = repair<Json>([...list, list[3]!]);
    expect(messages.slice(0, 5)).toEqual(list);
    expect(messages.at(-1)).toMatchObject({ type: "function_call_result", name: "pay", status: "completed" });
    expect(JSON.stringify(messages.at(-1))).toContain("outcome is unknown");
  });

  const user: Json = { role: "user", content: "Do it" };
  const shell: Json = {
    type: "shell_call",
    callId: "s1",
    status: "completed",
    action: { commands: ["ls"], timeoutMs: 9 },
  };
  const patch: Json = {
    type: "apply_patch_call",
    callId: "p1",
    status: "completed",
    operation: { type: "delete_file", path: "a" },
  };
  const computer: Json = {
    type: "computer_call",
    callId: "k1",
    status: "completed",
    action: { type: "type", text: "w".repeat(900) },
  };
  const shown: Json = {
    type: "shell_call_output",
    callId: "s1",
    output: [{ stdout: "a17", stderr: "", outcome: { type: "exit", exitCode: 0 } }],
  };
  const patched: Json = { type: "apply_patch_call_output", callId: "p1", status: "completed", output: "done" };
  const screen: Json = {
    type: "computer_call_result",
    callId: "k1",
    output: { type: "computer_screenshot", data: "data:image/png;base64,AAAA" },
  };

  it("leaves calls of built-in tools with their results, of any shape", () => {
    same([user, shell, shown, patch, patched, computer, screen]);
    same([user, { ...shell, action: undefined }, { ...shown, output: "text" }, patch, { ...patched, status: "odd" }]);
    same([user, { ...computer, action: undefined, actions: [] }, { ...screen, output: { type: "x", data: "AAAA" } }]);
  });

  it("gives open calls of built-in tools a result of their own type, and tells one of a computer as text", () => {
    for (const [call, type] of [
      [shell, "shell_call_output"],
      [patch, "apply_patch_call_output"],
    ] as const) {
      const list = [user, call, user];
      expect(validate(list).map(({ kind, messageIndex }) => [kind, messageIndex])).toEqual([
        ["missing_tool_result", 1],
      ]);
      const { messages } = repair<Json>(list);
      expect(messages.filter((row) => list.includes(row))).toEqual(list);
      const added = messages.find((row) => row["type"] === type)!;
      expect(added["callId"]).toBe(call["callId"]);
      expect(JSON.stringify(added)).toContain("outcome is unknown");
      same(messages);
    }
    const { messages, repairs } = repair<Json>([user, computer, user]);
    expect(repairs.map(({ kind, action }) => [kind, action])).toEqual([["missing_tool_result", "replace_with_text"]]);
    expect(JSON.stringify(messages[1])).toContain("w".repeat(900));
    same(messages);
  });

  it("gives a result of a built-in tool without its call a placeholder, and a second call of one id another", () => {
    for (const [orphan, said] of [
      [shown, "a17"],
      [patched, "done"],
      [screen, "base64,AAAA"],
    ] as const) {
      expect(validate([user, orphan]).map(({ kind }) => kind)).toEqual(["orphaned_tool_result"]);
      const { messages } = repair<Json>([user, orphan]);
      expect(messages.map(({ type }) => type)).toEqual([undefined, "function_call", "function_call_result"]);
      expect(JSON.stringify(messages)).toContain(said);
      same(messages);
    }
    const { messages } = repair<Json>([user, shell, shown, { ...shell, status: "in_progress" }]);
    expect(messages.slice(0, 3)).toEqual([user, shell, shown]);
    expect(messages[3]).toEqual({
      ...shell,
      status: "in_progress",
      callId: expect.not.stringMatching(/^s1$/) as string,
    });
    expect(messages[4]).toMatchObject({ type: "shell_call_output", callId: messages[3]!["callId"] });
    same(messages);
  });

  it("repairs calls whose input cannot be read", () => {
    const broken = { ...shell, action: undefined };
    Object.defineProperty(broken, "action", {
      enumerable: true,
      get() {
        throw new Error("no");
      },
    });
    const { messages } = repair<Json>([user, broken]);
    expect(messages.map(({ type }) => type)).toEqual([undefined, "shell_call", "shell_call_output"]);
    same(messages);
  });
});
