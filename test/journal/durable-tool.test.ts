/** A durable tool in the form of each framework: what is recorded of its calls, and what a framework gets that repeats one. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { ConversationJournal, durableTool, JournalError, openJournal } from "../../src/journal/index.ts";
import { INTERRUPTED_CALL } from "../../src/transcript/json/text.ts";

const open = (): ConversationJournal => new ConversationJournal(openJournal(":memory:"), "chat");
const recorded = (chat: ReturnType<typeof open>): unknown[] =>
  chat
    .open()
    .map(({ callId, toolName, input, outcome }) => [
      callId,
      toolName,
      input,
      typeof outcome === "string" ? outcome : [outcome.result.content, outcome.result.isError],
    ]);
const says = (text: string): object[] => [{ type: "text", text }];

class Tool {
  readonly name = "pay";
  readonly #prefix = "paid ";
  async invoke(call: { id: string; args: unknown }): Promise<unknown> {
    return await this["_call"](call.args, undefined, { toolCall: { id: call.id } });
  }
  async _call(input: unknown, _manager: unknown, _config: unknown): Promise<string> {
    return this.#prefix + (input as { euros: number }).euros;
  }
}

const INPUT = { euros: 5 };

it.each<[string, (chat: ReturnType<typeof open>) => unknown, unknown]>([
  [
    "AI SDK",
    (chat) =>
      durableTool({ execute: async (_input: object, _options: object) => "paid 5" }, chat, "pay").execute(INPUT, {
        toolCallId: "c1",
      }),
    says("paid 5"),
  ],
  [
    "Mastra",
    (chat) =>
      durableTool({ id: "pay", execute: async (_input: object, _context: object) => ({ paid: 5 }) }, chat).execute(
        INPUT,
        { agent: { toolCallId: "c1" } },
      ),
    says('{"paid":5}'),
  ],
  [
    "pi-agent-core",
    (chat) =>
      durableTool(
        { name: "pay", execute: async (_id: string, _params: object) => ({ content: says("paid 5"), details: {} }) },
        chat,
      ).execute("c1", INPUT),
    says("paid 5"),
  ],
  [
    "@openai/agents",
    (chat) =>
      durableTool(
        {
          type: "function",
          name: "pay",
          invoke: async (_context: unknown, _input: string, _details: object) => "paid 5",
        },
        chat,
      ).invoke({}, JSON.stringify(INPUT), { toolCall: { callId: "c1" } }),
    says("paid 5"),
  ],
  ["LangChain", (chat) => durableTool(new Tool(), chat).invoke({ id: "c1", args: INPUT }), says("paid 5")],
  [
    "Anthropic's tool runner",
    (chat) =>
      durableTool({ name: "pay", run: async (_input: object, _context: object) => "paid 5" }, chat).run(INPUT, {
        toolUseBlock: { id: "c1" },
      }),
    says("paid 5"),
  ],
])("a tool of %s returns what it returns, and its call is recorded under its id", async (_name, call, content) => {
  const chat = open();
  const returned = await call(chat);
  expect(JSON.stringify(returned)).toContain("5");
  expect(recorded(chat)).toEqual([["c1", "pay", INPUT, [content, false]]]);
});

it("tells a model nothing of the artifact that a tool of LangChain keeps from it, and gives it back to the framework", async () => {
  class Pair extends Tool {
    readonly responseFormat = "content_and_artifact";
  }
  const chat = open();
  const tool = Object.assign(new Pair(), { _call: async () => ["paid 5", { card: "4111" }] as never });
  const call = { id: "c1", args: INPUT };
  const returned = await durableTool(tool, chat).invoke(call);
  expect(recorded(chat)).toEqual([["c1", "pay", INPUT, [says("paid 5"), false]]]);
  expect(JSON.stringify(returned)).toContain("4111");
});

it("is the tool in everything else: its fields, its class, its type", () => {
  const given = { name: "pay", description: "Pays.", execute: async (_id: string, _input: object) => "paid" };
  const durable: typeof given = durableTool(given, open());
  expect({ ...durable, execute: 0 }).toEqual({ ...given, execute: 0 });
  const instance = durableTool(new Tool(), open());
  expect(instance).toBeInstanceOf(Tool);
  expect(instance.name).toBe("pay");
});

it("is recorded as one that may have run before the tool runs, and as that when it is aborted", async () => {
  const chat = open();
  const seen: unknown[] = [];
  const tool = durableTool(
    {
      execute: async (_input: object, _options: object) => {
        seen.push(...recorded(chat));
        throw Object.assign(new Error("stop"), { name: "AbortError" });
      },
    },
    chat,
    "pay",
  );
  await expect(tool.execute(INPUT, { toolCallId: "c1" })).rejects.toThrow("stop");
  expect(seen).toEqual([["c1", "pay", INPUT, "interrupted"]]);
  expect(recorded(chat)).toEqual(seen);
});

it("throws what the tool throws, and records that as an error", async () => {
  const chat = open();
  const tool = durableTool(
    { execute: (_input: object, _options: object) => Promise.reject(new Error("no money")) },
    chat,
    "pay",
  );
  await expect(tool.execute(INPUT, { toolCallId: "c1" })).rejects.toThrow("no money");
  expect(recorded(chat)).toEqual([["c1", "pay", INPUT, [says("no money"), true]]]);
});

it("is not recorded where LangGraph ends the run to ask a person: the call is made again from its beginning", async () => {
  const chat = open();
  const run = vi.fn<(input: object, manager: unknown, config: object) => Promise<string>>();
  run.mockRejectedValueOnce(Object.assign(new Error("ask"), { is_bubble_up: true })).mockResolvedValueOnce("paid");
  const tool = durableTool({ name: "pay", _call: run }, chat);
  const config = { toolCall: { id: "c1" } };
  await expect(tool["_call"](INPUT, undefined, config)).rejects.toThrow("ask");
  expect(recorded(chat)).toEqual([]);
  expect(await tool["_call"](INPUT, undefined, config)).toBe("paid");
});

it("has the last of its preliminary results, and none where nobody reads to the end", async () => {
  const chat = open();
  const tool = durableTool(
    {
      execute: async function* (_input: object, _options: object) {
        yield "looks";
        yield "paid 5";
      },
    },
    chat,
    "pay",
  );
  const all: unknown[] = [];
  for await (const one of tool.execute(INPUT, { toolCallId: "c1" })) all.push(one);
  expect(all).toEqual(["looks", "paid 5"]);
  for await (const one of tool.execute(INPUT, { toolCallId: "c2" })) if (one === "looks") break;
  expect(recorded(chat)).toEqual([
    ["c1", "pay", INPUT, [says("paid 5"), false]],
    ["c2", "pay", INPUT, "interrupted"],
  ]);
});

/** A journal as the next process finds it, which knows of no call that runs. */
function afterKill(before: ReturnType<typeof openJournal>): ReturnType<typeof open> {
  return new ConversationJournal(Object.create(before) as typeof before, "chat");
}

it("is not run once more for a call that a killed process has made: its result is there, or that it may have run", async () => {
  const journal = openJournal(":memory:");
  const chat = new ConversationJournal(journal, "chat");
  chat.asked({ items: 1, digest: "a", tools: ["pay"] });
  const value = { paid: 5 };
  await durableTool({ execute: async (_input: object, _options: object) => value }, chat, "pay").execute(INPUT, {
    toolCallId: "c1",
  });
  void durableTool({ execute: (_input: object, _options: object) => new Promise(() => {}) }, chat, "pay").execute(
    INPUT,
    { toolCallId: "c2" },
  );

  const next = afterKill(journal);
  const run = vi.fn(async (_input: object, _options: object): Promise<unknown> => "paid again");
  const tool = durableTool({ execute: run }, next, "pay");
  expect(await tool.execute(INPUT, { toolCallId: "c1" })).toEqual(value);
  await expect(tool.execute(INPUT, { toolCallId: "c2" })).rejects.toThrow(INTERRUPTED_CALL);
  // LangGraph's run ends with an error that a tool throws.
  const told = durableTool({ name: "pay", _call: run }, next)["_call"](INPUT, { toolCall: {} });
  await expect(told).resolves.toBe("paid again");
  const inGraph = durableTool(
    { name: "pay", _call: (input: object, _manager: unknown, config: object) => run(input, config) },
    next,
  );
  await expect(inGraph["_call"](INPUT, undefined, { toolCall: { id: "c2" } })).resolves.toBe(INTERRUPTED_CALL);
  class StructuredTool {
    readonly name = "pay";
    async invoke({ id, args }: { id: string; args: object }): Promise<unknown> {
      return {
        content: await this["_call"](args, undefined, { toolCall: { id } }),
        tool_call_id: id,
        status: "success",
      };
    }
    async _call(_input: object, _manager: unknown, _config: object): Promise<unknown> {
      return "paid";
    }
  }
  const inAgent = durableTool(new StructuredTool(), next);
  const tellStatus = async (id: string): Promise<unknown> => await inAgent.invoke({ id, args: INPUT });
  expect(await tellStatus("c2")).toMatchObject({ content: INTERRUPTED_CALL, status: "error" });
  expect(await tellStatus("c3")).toMatchObject({ content: "paid", status: "success" });
  expect(run).toHaveBeenCalledOnce();
  // Another input, or a request to the model since: the id is that of a new call.
  expect(await tool.execute({ euros: 6 }, { toolCallId: "c1" })).toBe("paid again");
  next.asked({ items: 3, digest: "b", tools: ["pay"] });
  expect(await tool.execute(INPUT, { toolCallId: "c2" })).toBe("paid again");
});

it("runs for an id that is used again, where no request to a model is recorded", async () => {
  const journal = openJournal(":memory:");
  const make = (chat: ConversationJournal, text: string) =>
    durableTool({ execute: async (_input: object, _options: object) => text }, chat, "pay");
  await make(new ConversationJournal(journal, "chat"), "first").execute(INPUT, { toolCallId: "call_0" });
  expect(await make(afterKill(journal), "second").execute(INPUT, { toolCallId: "call_0" })).toBe("second");
});

it("runs without its journal where that cannot be written, and the process is warned", async () => {
  const journal = openJournal(":memory:");
  const tool = durableTool(
    { execute: async (_input: object, _options: object) => "paid 5" },
    new ConversationJournal(journal, "chat"),
    "pay",
  );
  journal.close();
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  expect(await tool.execute(INPUT, { toolCallId: "c1" })).toBe("paid 5");
  expect(warn).toHaveBeenCalledOnce();
  warn.mockRestore();
});

it("does not run where the file of its journal was deleted, which nobody would hear of", async () => {
  const file = join(newFolder(), "agent.sqlite");
  const journal = openJournal(file);
  const run = vi.fn(async (_input: object, _options: object) => "paid 5");
  const make = (of: typeof journal) => durableTool({ execute: run }, new ConversationJournal(of, "chat"), "pay");
  const tool = make(journal);
  expect(await tool.execute(INPUT, { toolCallId: "c1" })).toBe("paid 5");
  for (const replaced of [false, true]) {
    for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
    if (replaced) writeFileSync(file, "");
    await expect(tool.execute(INPUT, { toolCallId: "c2" })).rejects.toMatchObject({ code: "missing" });
  }
  expect(run).toHaveBeenCalledOnce();
  journal.close();
  const again = openJournal(file);
  expect(await make(again).execute(INPUT, { toolCallId: "c2" })).toBe("paid 5");
  expect(recorded(new ConversationJournal(again, "chat"))).toHaveLength(1);
  again.close();
});

it("says that a result is lost whose journal was deleted while the tool ran", async () => {
  const file = join(newFolder(), "agent.sqlite");
  const journal = openJournal(file);
  const chat = new ConversationJournal(journal, "chat");
  const cycle = chat.begin({ callId: "c1", toolName: "pay", input: INPUT });
  rmSync(file);
  expect(() => chat.returned(cycle, { content: "paid 5", isError: false })).toThrow(/it was deleted meanwhile/);
  journal.close();
});

it("is not said to be not started where the journal took the call and not that it began", async () => {
  const journal = openJournal(join(newFolder(), "agent.sqlite"));
  const cycles = Object.create(journal.cycles) as typeof journal.cycles;
  cycles.pending = (all) => journal.cycles.pending(all);
  cycles.start = () => {
    throw new Error("locked");
  };
  const chat = new ConversationJournal(Object.create(journal, { cycles: { value: cycles } }) as typeof journal, "chat");
  const tool = durableTool({ execute: async (_input: object, _options: object) => "paid 5" }, chat, "pay");
  expect(await tool.execute(INPUT, { toolCallId: "c1" })).toBe("paid 5");
  expect(recorded(new ConversationJournal(journal, "chat"))).toEqual([["c1", "pay", INPUT, "interrupted"]]);
  journal.close();
});

it("finds the conversation of each call, and runs the tool alone where there is none", async () => {
  const journal = openJournal(":memory:");
  let current: ReturnType<typeof open> | undefined;
  const tool = durableTool({ execute: async (_input: object, _options: object) => "paid 5" }, () => current, "pay");
  expect(await tool.execute(INPUT, { toolCallId: "c1" })).toBe("paid 5");
  for (const name of ["a", "b"]) {
    current = new ConversationJournal(journal, name);
    await tool.execute(INPUT, { toolCallId: name });
  }
  expect(recorded(new ConversationJournal(journal, "b"))).toEqual([["b", "pay", INPUT, [says("paid 5"), false]]]);
});

it.each<[object, string | undefined, RegExp]>([
  [
    { name: "pay", handler: () => 1 },
    undefined,
    /expected a tool with one of the methods _call, execute, invoke, run; found one with the fields name, handler/,
  ],
  [{ execute: () => 1 }, undefined, /expected a tool with a name/],
])("refuses what is no tool: %j", (tool, name, message) => {
  expect(() => durableTool(tool, open(), name)).toThrow(JournalError);
  expect(() => durableTool(tool, open(), name)).toThrow(message);
});
