/** What only one framework asks of its adapter. */
import { describe, expect, it, vi } from "vitest";
import { FAULTS, VALID } from "../../harness/lists/faults.ts";
import { RENDER } from "../../harness/lists/forms.ts";
import { repairStep } from "../../src/adapters/ai-sdk.ts";
import { repairHook, repairMessages, repairModelCall } from "../../src/adapters/langchain.ts";
import { repairSession } from "../../src/adapters/openai-agents.ts";
import { repairContext } from "../../src/adapters/pi-agent-core.ts";
import { Message } from "./forms.ts";

type Item = Record<string, unknown>;

/** A session with private state, as the framework's own have it. */
class Stored {
  #items: Item[];
  readonly acceptsRunContext = true;

  constructor(items: Item[]) {
    this.#items = items;
  }

  async getItems(limit?: number, _context?: unknown): Promise<Item[]> {
    return limit === undefined ? [...this.#items] : this.#items.slice(-limit);
  }

  async getItemsWithCompactionOwnership(): Promise<{ items: Item[]; ownership: object }> {
    return { items: await this.getItems(), ownership: this };
  }

  async getSessionId(): Promise<string> {
    return "chat-42";
  }

  async addItems(items: Item[]): Promise<void> {
    this.#items.push(...items);
  }

  async popItem(): Promise<Item | undefined> {
    return this.#items.pop();
  }
}

const agents = RENDER.agents;
const call = (callId: string): Item => ({
  type: "function_call",
  callId,
  name: "pay",
  status: "completed",
  arguments: "{}",
});
const result = (callId: string): Item => ({
  type: "function_call_result",
  callId,
  name: "pay",
  status: "completed",
  output: { type: "text", text: "paid" },
});
const user: Item = { role: "user", content: "Pay." };

describe("a session of openai-agents", () => {
  it("is the given one in all but what is read, or its writes, limits and private fields would be gone", async () => {
    const stored = new Stored(agents(FAULTS["a result whose call is gone"]!));
    const before = await stored.getItems();
    const session = repairSession(stored);
    expect(session).toBeInstanceOf(Stored);
    expect(session.acceptsRunContext).toBe(true);
    expect(await session.getItems()).not.toEqual(before);
    expect(await stored.getItems()).toEqual(before);
    const { items, ownership } = await session.getItemsWithCompactionOwnership();
    expect(items).toEqual(await session.getItems());
    expect(ownership).toBe(stored);
    await session.addItems([user]);
    expect(await session.popItem()).toBe(user);
    expect(await stored.getItems()).toEqual(before);
  });

  it("has a call for each result that a limit has left", async () => {
    const session = repairSession(new Stored([user, call("c1"), call("c2"), result("c1"), result("c2")]));
    const ids = (await session.getItems(2)).map(({ type, callId }) => [type, callId]);
    expect(ids).toEqual(
      expect.arrayContaining([
        ["function_call", "c1"],
        ["function_call", "c2"],
      ]),
    );
    expect(ids).toHaveLength(4);
  });

  it("tells of a call that was open when the process was killed, or the model hears nothing of it at first", async () => {
    const killed = [user, call("c1"), call("c2"), result("c1")];
    const session = repairSession(new Stored(killed));
    const [items, { items: owned }] = [await session.getItems(), await session.getItemsWithCompactionOwnership()];
    expect(items.filter(({ callId }) => callId === "c2").map(({ type }) => type)).toEqual([
      "function_call",
      "function_call_result",
    ]);
    expect(owned).toEqual(items);
    // Behind the next message it is told with the same words, which a provider has in its cache.
    await session.addItems([user]);
    expect((await session.getItems()).slice(0, -1)).toEqual(items);
  });

  it("gives a runner that resumes what is stored, or it finds other items than it has written", async () => {
    const waiting = [user, call("c1"), call("c2"), result("c1")];
    const session = repairSession(new Stored(waiting));
    const resume = async (): Promise<Item[]> => {
      await session.getSessionId();
      return session.getItems();
    };
    expect(await resume()).toEqual(waiting);
    expect(await session.getItems()).toHaveLength(waiting.length + 1);
    // A program that has asked for the id itself has a run begin later.
    await session.getSessionId();
    await Promise.resolve();
    expect(await session.getItems()).toHaveLength(waiting.length + 1);
  });
});

describe("LangChain", () => {
  const valid = RENDER.langchain(VALID).map((stored) => new Message(stored));

  it("needs no package where nothing is wrong, and says which one it needs otherwise", async () => {
    expect(await repairMessages(valid)).toBe(valid);
    await expect(repairMessages(valid.toSpliced(6, 1))).rejects.toThrow("@langchain/core");
  });

  it("passes the given request on, so that another middleware finds what it has put there", async () => {
    const request = { messages: valid, tools: [] };
    const handler = vi.fn((given: typeof request) => given.messages.length);
    expect(await repairModelCall().wrapModelCall(request, handler)).toBe(valid.length);
    expect(handler.mock.calls[0]![0]).toBe(request);
  });

  it("gives LangGraph the messages at each step: it keeps those of the step before where it gets none", async () => {
    expect(await repairHook()({ messages: valid })).toEqual({ llmInputMessages: valid });
  });
});

it("an AI SDK step keeps a call open of which a person is asked", () => {
  const asked = {
    role: "assistant",
    content: [
      { type: "tool-call", toolCallId: "c1", toolName: "pay", input: {} },
      { type: "tool-approval-request", approvalId: "a", toolCallId: "c1" },
    ],
  };
  expect(repairStep()({ messages: [{ role: "user", content: "Pay" }, asked] })).toBeUndefined();
});

it("each answer of pi-agent-core has usage, or pi-ai throws where it counts what a repair has made", async () => {
  const given = RENDER.openclaw(FAULTS["a result whose call is gone"]!);
  const answers = (await repairContext()(given)).filter(({ role }) => role === "assistant");
  expect(answers.map(({ usage }) => usage)).not.toContain(undefined);
  expect(answers).toHaveLength(given.filter(({ role }) => role === "assistant").length + 1);
});
