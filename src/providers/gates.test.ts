import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hello, send, understand } from "../../harness/providers/client.ts";
import { refusedRequest, toolHistory } from "../../harness/providers/histories.ts";
import {
  APIS,
  noParallelCalls,
  noToolBlocksAtAll,
  refuseEverything,
  startProvider,
  type StrictProvider,
} from "../../harness/providers/index.ts";

let provider: StrictProvider;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.close());
beforeEach(() => provider.reset());

const call = { name: "read", result: 'the forbidden "word"' };

describe.each(APIS)("%s", (api) => {
  test("an extra rule refuses like one of the API's own, uses no step, and is gone with relax()", async () => {
    const rule = noToolBlocksAtAll();
    provider.enforce(rule);
    provider.script({ kind: "text", text: "scripted" });
    const refused = await send(provider.url, toolHistory(api, [{ calls: [call] }]));
    expect(refused.status).toBe(400);
    const record = provider.requests[0];
    expect(record).toMatchObject({ status: 400, refusedBy: { by: "extra-rule", name: rule.name } });
    expect(record?.violations).toEqual([record?.error]);
    const body = JSON.parse(refused.bytes.toString()) as { error?: { message: string }; message?: string };
    expect(body.error?.message ?? body.message).toBe(record?.error);
    expect((await send(provider.url, toolHistory(api, []))).status).toBe(200);
    provider.relax();
    expect((await send(provider.url, toolHistory(api, [{ calls: [call] }]))).status).toBe(200);
    expect(provider.requests[1]?.refusedBy).toBeUndefined();
  });

  test("a front answers before the API's rules, byte for byte, uses no step, and is gone with reset()", async () => {
    const seen: number[] = [];
    provider.front(({ api: asked, nth }) => {
      seen.push(nth);
      if (nth > 0) return undefined;
      return { status: 415, body: `<html>${asked}</html>`, contentType: "text/html" };
    });
    provider.script({ kind: "text", text: "scripted" });
    const refused = await send(provider.url, refusedRequest(api));
    expect([refused.status, refused.bytes.toString()]).toEqual([415, `<html>${api}</html>`]);
    expect(provider.requests[0]).toMatchObject({ refusedBy: { by: "front", name: "415" }, violations: [] });
    expect((await send(provider.url, refusedRequest(api))).status).toBe(400);
    expect(understand(api, (await send(provider.url, hello(api))).bytes).text).toBe("scripted");
    expect(seen).toEqual([0, 1, 2]);
    provider.reset();
    expect((await send(provider.url, hello(api))).status).toBe(200);
    expect(seen).toHaveLength(3);
  });

  test("a rule of the API comes before an extra one, and says which it is", async () => {
    provider.enforce(refuseEverything());
    await send(provider.url, refusedRequest(api));
    expect(provider.requests[0]?.refusedBy).toEqual({
      by: "api",
      name: expect.stringMatching(/^(messages|input|contents)/),
    });
    await send(provider.url, hello(api));
    expect(provider.requests[1]?.refusedBy?.by).toBe("extra-rule");
  });

  test("a blocked text is blocked again as long as it is sent, wherever it stands", async () => {
    provider.script({ kind: "text", text: "scripted" });
    provider.block('forbidden "word"');
    const said = hello(api, { content: 'a forbidden "word" here' });
    for (let i = 0; i < 2; i++) expect((await send(provider.url, said)).status).toBe(400);
    expect((await send(provider.url, toolHistory(api, [{ calls: [call] }]))).status).toBe(400);
    expect(provider.requests).toHaveLength(3);
    for (const { refusedBy } of provider.requests)
      expect(refusedBy).toEqual({ by: "blocked-text", name: 'forbidden "word"' });
    expect(understand(api, (await send(provider.url, toolHistory(api, []))).bytes).text).toBe("scripted");
    provider.unblock('forbidden "word"');
    expect((await send(provider.url, said)).status).toBe(200);
  });

  test("a text is blocked in the form that was chosen, and not in system prompt or tools", async () => {
    provider.block("forbidden", { fault: "content-filter-in-tool" });
    const read = understand(api, (await send(provider.url, hello(api, { content: "forbidden" }))).bytes);
    expect(read.error).toMatch(/filter/i);
    expect(provider.requests[0]).toMatchObject({ fault: "content-filter-in-tool", refusedBy: { by: "blocked-text" } });
    provider.unblock();
    // "be short" is the system prompt, "parameters" and the like the tools.
    for (const text of ["be short", "properties", "exec"]) provider.block(text);
    expect((await send(provider.url, toolHistory(api, [{ calls: [call] }]))).status).toBe(200);
  });
});

test("arguments of a call are searched as what they say, not as how they are escaped", async () => {
  provider.block('say "no"');
  const messages = [
    { role: "user", content: "hello" },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "a1", type: "function", function: { name: "exec", arguments: JSON.stringify({ command: 'say "no"' }) } },
      ],
    },
    { role: "tool", tool_call_id: "a1", content: "done" },
  ];
  const { path, body } = hello("openai-completions");
  expect((await send(provider.url, { path, body: { ...body, messages } })).status).toBe(400);
});

test("several extra rules hold at once, and reset() drops rules and blocked texts", async () => {
  provider.enforce(noParallelCalls("bare"));
  provider.enforce(noToolBlocksAtAll("plain"));
  provider.block("hello");
  await send(provider.url, toolHistory("anthropic-messages", [{ calls: [call, call] }]));
  expect(provider.requests[0]?.violations).toEqual([
    "Invalid request",
    "This model does not support `tool_use` blocks or `tool_result` blocks in the conversation.",
  ]);
  provider.reset();
  expect((await send(provider.url, toolHistory("anthropic-messages", [{ calls: [call, call] }]))).status).toBe(200);
});

test("an empty text cannot be blocked", () => {
  expect(() => provider.block("")).toThrow(/Expected a text to block/);
});
