/** What a model is told of calls that a killed program, or its framework, has lost: by the journal of durable tools. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { healingFetch, type HealedRequest } from "../../src/fetch/index.ts";
import { ConversationJournal, durableTool, openJournal, type Journal } from "../../src/journal/index.ts";
import { INTERRUPTED_CALL, NOT_STARTED_CALL, UNKNOWN_OUTCOME } from "../../src/transcript/json/text.ts";
import { check } from "../../src/wire/public.ts";
import type { Api } from "../../harness/providers/index.ts";
import { pathFor } from "./paths.ts";

type Item = Record<string, unknown>;

/** How a history is written for an API. */
interface Form {
  readonly field: string;
  readonly tools: Item;
  user(text: string): Item;
  says(text: string): Item;
  call(id: string, input: unknown): Item;
  result(id: string, text: string): Item;
}

const SCHEMA = { type: "object", properties: { euros: { type: "number" } } };
const FORMS: Record<string, Form> = {
  "anthropic-messages": {
    field: "messages",
    tools: { max_tokens: 9, tools: [{ name: "pay", input_schema: SCHEMA }] },
    user: (content) => ({ role: "user", content }),
    says: (content) => ({ role: "assistant", content }),
    call: (id, input) => ({ role: "assistant", content: [{ type: "tool_use", id, name: "pay", input }] }),
    result: (id, content) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] }),
  },
  "openai-completions": {
    field: "messages",
    tools: { tools: [{ type: "function", function: { name: "pay", parameters: SCHEMA } }] },
    user: (content) => ({ role: "user", content }),
    says: (content) => ({ role: "assistant", content }),
    call: (id, input) => ({
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name: "pay", arguments: JSON.stringify(input) } }],
    }),
    result: (id, content) => ({ role: "tool", tool_call_id: id, content }),
  },
  "openai-responses": {
    field: "input",
    tools: { tools: [{ type: "function", name: "pay", parameters: SCHEMA }] },
    user: (content) => ({ role: "user", content }),
    says: (content) => ({ role: "assistant", content }),
    call: (call_id, input) => ({ type: "function_call", call_id, name: "pay", arguments: JSON.stringify(input) }),
    result: (call_id, output) => ({ type: "function_call_output", call_id, output }),
  },
  "google-generative-ai": {
    field: "contents",
    tools: { tools: [{ functionDeclarations: [{ name: "pay", parameters: SCHEMA }] }] },
    user: (text) => ({ role: "user", parts: [{ text }] }),
    says: (text) => ({ role: "model", parts: [{ text }] }),
    call: (_id, args) => ({ role: "model", parts: [{ functionCall: { name: "pay", args } }] }),
    result: (_id, output) => ({ role: "user", parts: [{ functionResponse: { name: "pay", response: { output } } }] }),
  },
  "bedrock-converse-stream": {
    field: "messages",
    tools: { toolConfig: { tools: [{ toolSpec: { name: "pay", inputSchema: { json: SCHEMA } } }] } },
    user: (text) => ({ role: "user", content: [{ text }] }),
    says: (text) => ({ role: "assistant", content: [{ text }] }),
    call: (toolUseId, input) => ({ role: "assistant", content: [{ toolUse: { toolUseId, name: "pay", input } }] }),
    result: (toolUseId, text) => ({ role: "user", content: [{ toolResult: { toolUseId, content: [{ text }] } }] }),
  },
};

let folder: string;
let journal: Journal;
let chat: ConversationJournal;

/** As a new process finds it. */
function restart(): void {
  journal?.close();
  journal = openJournal(join(folder, "agent.sqlite"), { busyTimeoutMs: 20 });
  chat = new ConversationJournal(journal, "chat");
  // The program makes its tools before it asks a model.
  durableTool({ execute: () => "" }, chat, "pay");
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "told-"));
  restart();
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true });
});

/** Sends a history through a healing fetch; returns what goes out. */
async function ask(
  api: string,
  items: readonly Item[],
  extra: Item = {},
): Promise<{ items: Item[]; healed?: HealedRequest; same: boolean }> {
  const { field, tools } = FORMS[api]!;
  const given = JSON.stringify({ model: "m", ...tools, [field]: items, ...extra });
  let sent = "";
  let healed: HealedRequest | undefined;
  const heal = healingFetch({
    journal: chat,
    fetch: async (_url, init) => ((sent = String(init?.body)), new Response("ok")),
    onHealed: (request) => (healed = request),
  });
  await heal(`https://example.com${pathFor(api as Api)}`, { method: "POST", body: given });
  const body = JSON.parse(sent) as Item;
  expect(check(api as Api, body)).toEqual([]);
  return { items: body[field] as Item[], same: sent === given, ...(healed && { healed }) };
}

/** Calls the tool as a framework does; `end` is what becomes of the call. */
async function pay(id: string, euros: number, end: "returns" | "hangs" | "throws" = "returns"): Promise<unknown> {
  const tool = durableTool(
    {
      execute: (_input: unknown, _options: unknown): Promise<string> => {
        if (end === "hangs") return new Promise(() => {});
        return end === "throws" ? Promise.reject(new Error("no money")) : Promise.resolve(`paid ${euros}`);
      },
    },
    chat,
    "pay",
  );
  const running = tool.execute({ euros }, { toolCallId: id });
  return end === "hangs" ? undefined : await running.catch(() => {});
}

const text = (items: readonly Item[]): string => JSON.stringify(items);

describe.each(Object.keys(FORMS))("a request to %s", (api) => {
  const { user, says, call, result } = FORMS[api]!;
  const asked = user("pay 5 euros");
  const [first, second] = [call("call_1", { euros: 5 }), call("call_2", { euros: 6 })];

  it("has the real result of a call whose result the program has lost", async () => {
    await ask(api, [asked]);
    await pay("call_1", 5);
    restart();
    const { items, healed } = await ask(api, [asked, first, user("done?")]);
    expect(text(items)).toContain("paid 5");
    expect(text(items)).not.toContain("may have run");
    expect(healed?.told).toBe(1);
  });

  it("says of a call that was cut off that it may have run, and not that it failed or was cancelled", async () => {
    await ask(api, [asked]);
    await pay("call_1", 5, "hangs");
    restart();
    const cancelled =
      "Tool call pay with id call_1 was cancelled - another message came in before it could be completed.";
    for (const history of [
      [asked, first],
      [asked, first, result("call_1", cancelled)],
    ]) {
      const { items } = await ask(api, [...history, user("done?")]);
      expect(text(items)).toContain(INTERRUPTED_CALL);
      expect(text(items)).not.toContain("was cancelled");
    }
  });

  it("says of a call that was not started that it was not, where the ids of calls can be known", async () => {
    await ask(api, [asked]);
    restart();
    const told = api === "google-generative-ai" ? UNKNOWN_OUTCOME : NOT_STARTED_CALL;
    expect(text((await ask(api, [asked, first, user("done?")])).items)).toContain(told);
    // Of a history that no recorded request had, nobody knows who has run its calls.
    expect(text((await ask(api, [user("another"), first, user("done?")])).items)).toContain(UNKNOWN_OUTCOME);
  });

  it("tells a call that the program has lost with its message, at its place in each later request", async () => {
    await ask(api, [asked]);
    await pay("call_1", 5);
    restart();
    const { items, healed } = await ask(api, [asked, user("done?")]);
    expect(healed?.told).toBe(1);
    expect(text(items).indexOf("paid 5")).toBeGreaterThan(text(items).indexOf("pay 5 euros"));
    expect(text(items).indexOf("paid 5")).toBeLessThan(text(items).indexOf("done?"));
    await pay("call_2", 6);
    const later = await ask(api, [asked, user("done?"), second, result("call_2", "paid 6")]);
    expect(text(later.items)).toContain("paid 5");
    expect(text(later.items).split("paid 6")).toHaveLength(2);
  });

  it("tells a call at its place where instructions stand among the messages", async () => {
    if (!["openai-completions", "openai-responses"].includes(api)) return;
    const rules = { role: "developer", content: "be brief" };
    await ask(api, [rules, asked, says("which?"), rules, user("these")]);
    await pay("call_1", 5);
    restart();
    const { items } = await ask(api, [rules, asked, says("which?"), rules, user("these"), user("done?"), rules]);
    const [at, before, behind] = ["paid 5", "these", "done?"].map((word) =>
      items.findIndex((item) => text([item]).includes(word)),
    );
    expect([before! < at!, at! < behind!]).toEqual([true, true]);
  });

  it("tells the calls of several steps that are lost together, in their order", async () => {
    await ask(api, [asked]);
    await pay("call_1", 5);
    await ask(api, [asked, first, result("call_1", "paid 5")]);
    await pay("call_2", 6, "throws");
    restart();
    const sent = text((await ask(api, [asked])).items);
    expect(sent.indexOf("paid 5")).toBeGreaterThan(-1);
    expect(sent.indexOf("no money")).toBeGreaterThan(sent.indexOf("paid 5"));
  });

  it("tells a call at the end where the history has become another one, and from then on at that place", async () => {
    await ask(api, [asked]);
    await pay("call_1", 5);
    restart();
    const other = [user("a summary of before"), says("yes"), user("done?")];
    for (const later of [
      [],
      [call("call_2", { euros: 6 }), result("call_2", "paid 6")],
      [says("so it is"), user("and?")],
    ]) {
      const sent = text((await ask(api, [...other, ...later])).items);
      expect(sent.split("paid 5")).toHaveLength(2);
      expect([sent.indexOf("yes"), sent.indexOf("paid 5"), sent.indexOf("done?")]).toEqual(
        [sent.indexOf("yes"), sent.indexOf("paid 5"), sent.indexOf("done?")].toSorted((a, b) => a - b),
      );
    }
    restart();
    // At the very beginning, too.
    const another = [user("another summary")];
    for (const later of [[], [call("call_3", { euros: 7 }), result("call_3", "paid 7")]]) {
      if (later.length > 0) await pay("call_3", 7);
      const sent = text((await ask(api, [...another, ...later])).items);
      expect(sent.indexOf("paid 5")).toBeGreaterThan(-1);
      expect(sent.indexOf("paid 5")).toBeLessThan(sent.indexOf("another summary"));
    }
  });

  it("stands behind the answer to the last request that is still there, where what was asked then is lost too", async () => {
    await ask(api, [user("hi")]);
    await ask(api, [user("hi"), says("hello"), asked]);
    await pay("call_1", 5);
    restart();
    const sent = text((await ask(api, [user("hi"), says("hello"), user("done?")])).items);
    expect(sent.indexOf("paid 5")).toBeGreaterThan(sent.indexOf("hello"));
  });

  it("tells the calls of an id that is used again apart", async () => {
    await ask(api, [asked]);
    await pay("call_1", 667);
    restart();
    const [again, other] = [call("call_1", { euros: 8 }), call("call_1", { euros: 9 })];
    const history = [asked, user("pay 8"), again, result("call_1", "paid 8"), other, result("call_1", "paid 9")];
    await ask(api, history.slice(0, 2));
    await pay("call_1", 8);
    await ask(api, history.slice(0, 4));
    await pay("call_1", 9);
    const { items } = await ask(api, history);
    expect(text(items).split("missing from the messages")).toHaveLength(2);
    for (const paid of ["paid 667", "paid 8", "paid 9"]) expect(text(items).split(paid), paid).toHaveLength(2);
  });

  describe("with a call whose id and input are used again behind a kill", () => {
    const again = user("pay 5 more");
    const saved = [asked, first, again];
    const parts = (items: readonly Item[]): string[] => {
      const sent = text(items);
      const at = sent.indexOf("pay 5 more");
      return [sent.slice(0, at), sent.slice(at)];
    };

    it.each([
      ["saved", [first]],
      ["lost", []],
    ])("tells each run by its own record, in their order, where the second call is %s", async (_what, repeated) => {
      await ask(api, [asked]);
      await pay("call_1", 5, "hangs");
      restart();
      await ask(api, saved);
      await pay("call_1", 5);
      restart();
      for (const late of [[], [says("wait"), user("and?")]]) {
        const { items } = await ask(api, [...saved, ...repeated, user("done?"), ...late]);
        const [before, behind] = parts(items) as [string, string];
        expect(before).toContain("may have run");
        expect(before).not.toContain("paid 5");
        expect(before).not.toContain("missing from the messages");
        expect(behind).toContain("paid 5");
        expect(behind).not.toContain("may have run");
        expect(behind.includes("missing from the messages")).toBe(repeated.length === 0);
      }
    });

    it("does not say of the second, which is there, that it is missing, nor give it the result of the first", async () => {
      await ask(api, [asked]);
      await pay("call_1", 5, "throws");
      restart();
      await ask(api, [asked, again]);
      await pay("call_1", 5);
      restart();
      const [before, behind] = parts((await ask(api, [asked, again, first, user("done?")])).items) as [string, string];
      expect(before).toMatch(/missing from the messages.*no money/);
      expect(behind).toContain("paid 5");
      expect(behind).not.toMatch(/missing from the messages|no money/);
    });

    it("tells that the second may have run, which is lost, where the first has its result", async () => {
      await ask(api, [asked]);
      await pay("call_1", 5);
      const answered = [asked, first, result("call_1", "paid 5"), again];
      await ask(api, answered);
      await pay("call_1", 5, "hangs");
      restart();
      const [before, behind] = parts((await ask(api, [...answered, user("done?")])).items) as [string, string];
      expect(before).toContain("paid 5");
      expect(before).not.toContain("may have run");
      expect(behind).toContain("may have run");
    });
  });

  it("on something else does not make the tool run again for a framework that resumes", async () => {
    const repeat = (id: string): Promise<unknown> => {
      const run = (_input: unknown, _options: unknown): Promise<string> => Promise.resolve("paid again");
      return durableTool({ execute: run }, chat, "pay").execute({ euros: 5 }, { toolCallId: id });
    };
    const id = "call_4kZ0aQmP7sXcV2bNwE9rT1yU";
    await ask(api, [user("hi"), asked]);
    for (const one of [id, "functions.pay:0"]) await pay(one, 5);
    restart();
    await ask(api, [user("Make a title: pay 5 euros")]);
    restart();
    expect(await repeat(id)).toBe("paid 5");
    // A short id is one that the server uses again; behind a request that goes on, each is.
    expect(await repeat("functions.pay:0")).toBe("paid again");
    await ask(api, [user("hi"), asked, user("pay 5 more")]);
    restart();
    expect(await repeat(id)).toBe("paid again");
  });

  it("does not say of a call that ran while the journal could not be written that it was not started", async () => {
    await ask(api, [asked]);
    const other = new DatabaseSync(journal.file);
    other.exec("BEGIN IMMEDIATE");
    await pay("call_1", 5);
    other.exec("ROLLBACK");
    other.close();
    restart();
    const sent = text((await ask(api, [asked, first, user("done?")])).items);
    expect(sent).toContain(UNKNOWN_OUTCOME);
    expect(sent).not.toContain(NOT_STARTED_CALL);
  });

  it("is passed on as it is while the program knows its calls, and when they are long past", async () => {
    const history = [asked, first, result("call_1", "paid 5")];
    expect((await ask(api, [asked])).same).toBe(true);
    await pay("call_1", 5);
    expect((await ask(api, history)).same).toBe(true);
    expect(chat.open()).toHaveLength(1);
    expect((await ask(api, [...history, says("done"), user("thanks")])).same).toBe(true);
    expect(chat.open()).toHaveLength(0);
    // Nothing is told of a call that is known to have come through.
    restart();
    expect((await ask(api, [user("thanks")])).same).toBe(true);
  });

  it("does not get back what the program leaves out to be shorter, nor a call that still runs", async () => {
    await ask(api, [asked]);
    await pay("call_1", 5);
    await ask(api, [asked, first, result("call_1", "paid 5")]);
    await pay("call_2", 6);
    expect((await ask(api, [asked, second, result("call_2", "paid 6")])).same).toBe(true);
    void pay("call_3", 7, "hangs");
    expect((await ask(api, [asked, second, result("call_2", "paid 6")])).same).toBe(true);
  });

  it("begins with the request before, where a program keeps texts alone: a provider has that in its cache", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.integer({ min: 1, max: 2 }), { maxLength: 3 }), { minLength: 2, maxLength: 5 }),
        fc.boolean(),
        async (turns, isRestarted) => {
          rmSync(folder, { recursive: true });
          folder = mkdtempSync(join(tmpdir(), "told-"));
          restart();
          const kept: Item[] = [];
          let paid = 0;
          for (const [at, steps] of turns.entries()) {
            kept.push(user(`question ${at}`));
            const loop = [...kept];
            let before = await ask(api, loop);
            // Each call that was made is told once, in its order, in the turn in which it was made.
            const amounts = [...text(before.items).matchAll(/paid (\d+)|(question \d+|done \d+)/g)].map(([one]) => one);
            const past = turns.slice(0, at).flatMap((one, turn) => [`question ${turn}`, ...one, `done ${turn}`]);
            let count = 0;
            const expected = past.flatMap((one) =>
              typeof one === "string" ? [one] : Array.from({ length: one }, () => `paid ${++count}`),
            );
            expect(amounts).toEqual([...expected, `question ${at}`]);
            for (const calls of steps) {
              const ids = Array.from({ length: calls }, () => ++paid);
              for (const id of ids) await pay(`call_${id}`, id);
              loop.push(...ids.map((id) => call(`call_${id}`, { euros: id })));
              loop.push(...ids.map((id) => result(`call_${id}`, `paid ${id}`)));
              if (isRestarted) restart();
              const next = await ask(api, loop);
              expect(next.items.slice(0, before.items.length)).toEqual(before.items);
              before = next;
            }
            kept.push(says(`done ${at}`));
          }
        },
      ),
      { numRuns: 15 },
    );
  });

  it("tells parallel calls in their order where the history has become another one", async () => {
    await ask(api, [asked]);
    await pay("call_1", 5);
    await pay("call_2", 6);
    restart();
    const sent = text((await ask(api, [user("a summary"), says("yes"), user("done?")])).items);
    expect(sent.match(/paid \d/g)).toEqual(["paid 5", "paid 6"]);
  });

  it("does not tell a model that is not offered the tool", async () => {
    await ask(api, [asked]);
    await pay("call_1", 5);
    restart();
    expect((await ask(api, [user("give this chat a title")], { tools: undefined, toolConfig: undefined })).same).toBe(
      true,
    );
  });

  it("is valid, and has the result of each call that ran once, whatever the program has lost", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ ends: fc.constantFrom("returns", "throws"), keeps: fc.constantFrom("all", "call", "none") }),
          { minLength: 1, maxLength: 5 },
        ),
        async (steps) => {
          rmSync(folder, { recursive: true });
          folder = mkdtempSync(join(tmpdir(), "told-"));
          restart();
          const history = [asked];
          const kept = [asked];
          for (const [at, { ends, keeps }] of steps.entries()) {
            const id = `call_${at}`;
            const made = call(id, { euros: at });
            await ask(api, history);
            await pay(id, at, ends as "returns");
            const answer = result(id, ends === "throws" ? "no money" : `paid ${at}`);
            history.push(made, answer);
            kept.push(...(keeps === "all" ? [made, answer] : keeps === "call" ? [made] : []));
          }
          restart();
          const { items } = await ask(api, [...kept, user("done?")]);
          const again = await ask(api, [...kept, user("done?")]);
          for (const [at, { ends }] of steps.entries())
            if (ends === "returns") expect(text(items).split(`paid ${at}`), text(items)).toHaveLength(2);
          const lost = steps.filter(({ keeps }) => keeps === "all").length < steps.length;
          if (lost) expect(text(again.items)).toBe(text(items));
        },
      ),
      { numRuns: 25 },
    );
  });
});
