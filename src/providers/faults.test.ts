import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hello, send, understand } from "../../harness/providers/client.ts";
import { APIS, FAULTS, startProvider, type Api, type FaultName, type StrictProvider } from "./index.ts";

let provider: StrictProvider;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.close());
beforeEach(() => provider.reset());

/** What comes later than that after the last byte does not come. */
const SILENCE_MS = 100;
const COMMAND = JSON.stringify({ command: "echo one two three four five six seven eight" });
const FILTER: Record<Api, RegExp> = {
  "anthropic-messages": /^Output blocked by content filtering policy$/,
  "openai-completions": /content management policy/,
  "openai-responses": /content management policy/,
  "google-generative-ai": /blocked by the content filter/,
  "bedrock-converse-stream": /Output blocked by content filtering policy$/,
};
const BLOCKED_STOP: Record<Api, string> = {
  "anthropic-messages": "refusal",
  "openai-completions": "content_filter",
  "openai-responses": "incomplete",
  "google-generative-ai": "SAFETY",
  "bedrock-converse-stream": "content_filtered",
};
const STATUSES: Record<Api, number[]> = {
  "anthropic-messages": [401, 429, 500, 529],
  "openai-completions": [401, 429, 500, 503],
  "openai-responses": [401, 429, 500, 503],
  "google-generative-ai": [401, 429, 500, 503],
  "bedrock-converse-stream": [403, 429, 500, 503],
};
const REJECTIONS: Record<Api, [string, string, string]> = {
  "anthropic-messages": [
    "unexpected `tool_use_id`",
    "roles must alternate",
    "`tool_use` ids were found without `tool_result`",
  ],
  "openai-completions": [
    "messages with role 'tool' must be",
    "roles must alternate",
    "must be followed by tool messages",
  ],
  "openai-responses": ["No tool call found", "roles must alternate", "No tool output found"],
  "google-generative-ai": [
    "function response turn comes immediately",
    "requests alternate",
    "number of function response parts",
  ],
  "bedrock-converse-stream": ["exceeds the number of toolUse blocks", "must alternate", "Expected toolResult blocks"],
};

/** How a call came that broke in the middle; Gemini's arrive whole or not at all. */
function remains(api: Api, calls: { arguments: string }[]): string {
  const [call] = calls;
  if (call === undefined) return api === "google-generative-ai" ? "half" : "nothing";
  return calls.length === 1 && COMMAND.startsWith(call.arguments) && call.arguments !== COMMAND
    ? "half"
    : "something else";
}

function isHalf(api: Api, bytes: Buffer): boolean {
  try {
    return remains(api, understand(api, bytes).calls) === "half";
  } catch {
    // It ends inside an event.
    return false;
  }
}

async function play(api: Api, fault: FaultName, stream = true) {
  provider.script({ kind: "fault", fault });
  return send(provider.url, hello(api, { stream }));
}

describe.each(APIS)("%s", (api) => {
  test("content filter inside a call", async () => {
    const got = await play(api, "content-filter-in-tool");
    const read = understand(api, got.bytes);
    expect([got.status, got.broken, read.stop]).toEqual([200, false, undefined]);
    expect(read.error).toMatch(FILTER[api]);
    expect(remains(api, read.calls)).toBe("half");
    expect(provider.requests[0]).toMatchObject({ fault: "content-filter-in-tool", status: 200, error: read.error });
  });

  test("content filter after a completed call", async () => {
    const read = understand(api, (await play(api, "content-filter-after-tool")).bytes);
    expect(read.error).toMatch(FILTER[api]);
    expect(read.calls.map((call) => call.arguments)).toEqual([COMMAND]);
    expect(read.stop).toBeUndefined();
  });

  test("overloaded in the middle of the stream, as often as asked", async () => {
    provider.script({ kind: "fault", fault: "overloaded-mid-stream", times: 2 });
    for (let i = 0; i < 2; i++) {
      const read = understand(api, (await send(provider.url, hello(api))).bytes);
      expect(read.error).toMatch(/overloaded|unable to process/i);
      expect(remains(api, read.calls)).toBe("half");
    }
    expect(understand(api, (await send(provider.url, hello(api))).bytes).text).toBe("ok 3");
  });

  test("overloaded once: the retry is answered", async () => {
    provider.script({ kind: "fault", fault: "overloaded-once", times: 9 });
    expect(understand(api, (await send(provider.url, hello(api))).bytes).error).toBeDefined();
    expect(understand(api, (await send(provider.url, hello(api))).bytes).text).toBe("ok 2");
  });

  test("a refusal of the history inside the stream, of a server that has answered 200 before it looked", async () => {
    const got = await play(api, "rejection-at-start");
    const read = understand(api, got.bytes);
    expect([got.status, got.broken, read.text, read.calls]).toEqual([200, false, "", []]);
    expect(read.error).toContain(REJECTIONS[api][0]);
  });

  test("connection dropped inside a call", async () => {
    const got = await play(api, "drop-in-tool");
    expect([got.status, got.broken]).toEqual([200, true]);
    const read = understand(api, got.bytes);
    expect([read.stop, read.error]).toEqual([undefined, undefined]);
    expect(remains(api, read.calls)).toBe("half");
  });

  test("connection dropped after a complete call", async () => {
    const got = await play(api, "drop-after-tool");
    expect(got.broken).toBe(true);
    const read = understand(api, got.bytes);
    expect(read.calls.map((call) => call.arguments)).toEqual([COMMAND]);
    expect(read.stop).toBeUndefined();
  });

  test("clean end inside a call", async () => {
    const got = await play(api, "end-in-tool");
    expect(got.broken).toBe(false);
    const read = understand(api, got.bytes);
    expect([read.stop, read.error]).toEqual([undefined, undefined]);
    expect(remains(api, read.calls)).toBe("half");
    expect(got.bytes.toString("latin1")).not.toContain("[DONE]");
  });

  test("of two calls the first arrives whole", async () => {
    const calls = [
      { name: "first", arguments: {} },
      { name: "second", arguments: { command: "a long one" } },
    ];
    provider.script({ kind: "fault", fault: "drop-in-tool", calls, text: "so" });
    const read = understand(api, (await send(provider.url, hello(api))).bytes);
    expect(read.text).toBe("so");
    expect(read.calls[0]).toMatchObject({ name: "first", arguments: "{}" });
    expect(read.calls[1]?.arguments).not.toBe(JSON.stringify(calls[1]?.arguments));
  });

  test("refused with a call", async () => {
    const read = understand(api, (await play(api, "refusal-with-tool")).bytes);
    expect(read.calls.map((call) => call.arguments)).toEqual([COMMAND]);
    expect(read.stop).toBe(BLOCKED_STOP[api]);
  });

  test("ended by the content filter", async () => {
    const read = understand(api, (await play(api, "finish-content-filter")).bytes);
    expect(read).toMatchObject({ text: "ok 1", calls: [], stop: BLOCKED_STOP[api] });
  });

  test("content filter at once", async () => {
    const got = await play(api, "content-filter-400");
    expect(got.status).toBe(400);
    expect(provider.requests[0]?.error).toMatch(FILTER[api]);
    expect(JSON.stringify(JSON.parse(got.bytes.toString()))).toContain(provider.requests[0]?.error);
  });

  test("prompt blocked", async () => {
    for (const stream of [true, false]) {
      const got = await play(api, "prompt-blocked", stream);
      expect(got.status).toBe(api === "google-generative-ai" ? 200 : 400);
      expect(got.bytes.toString()).toMatch(
        api === "google-generative-ai" ? /"blockReason":"PROHIBITED_CONTENT"/ : /content|filter/i,
      );
    }
  });

  test("rejections whatever the history is", async () => {
    const faults: FaultName[] = ["400-unexpected-tool-use-id", "400-roles-alternate", "400-missing-tool-result"];
    for (const [i, fault] of faults.entries()) {
      const got = await play(api, fault);
      expect(got.status).toBe(400);
      expect(provider.requests[i]?.error).toContain(REJECTIONS[api][i]);
      expect(provider.requests[i]?.violations).toEqual([]);
    }
    expect((await send(provider.url, hello(api))).status).toBe(200);
  });

  test("HTTP errors", async () => {
    const faults: FaultName[] = ["http-401", "http-429", "http-500", "http-529"];
    for (const [i, fault] of faults.entries()) expect((await play(api, fault)).status).toBe(STATUSES[api][i]);
  });

  test("silence", async () => {
    provider.script({ kind: "fault", fault: "hang" }, { kind: "fault", fault: "hang-in-tool" });
    const mute = new AbortController();
    const refused = expect(send(provider.url, hello(api), { signal: mute.signal })).rejects.toThrow(/abort/i);
    // A request that arrived later would take the next test's fault.
    await expect.poll(() => provider.requests[0]?.fault).toBe("hang");
    await sleep(SILENCE_MS);
    mute.abort();
    await refused;
    const half = new AbortController();
    const begun = await send(provider.url, hello(api), {
      signal: half.signal,
      onBytes: (bytes) => {
        if (isHalf(api, bytes)) setTimeout(() => half.abort(), SILENCE_MS);
      },
    });
    expect(begun.broken).toBe(true);
    expect(remains(api, understand(api, begun.bytes).calls)).toBe("half");
    expect(provider.requests.map(({ status }) => status)).toEqual([0, 200]);
  });

  test("without a stream", async () => {
    expect((await play(api, "content-filter-in-tool", false)).status).toBe(400);
    expect((await play(api, "drop-in-tool", false)).broken).toBe(true);
    const cut = await play(api, "end-in-tool", false);
    expect(cut.broken).toBe(false);
    expect(() => JSON.parse(cut.bytes.toString()) as unknown).toThrow(/JSON/);
  });
});

test("no fault is left without a plan", () => {
  expect(Object.keys(FAULTS)).toHaveLength(36);
});

test("a fault that an API does not have says so instead of playing another", async () => {
  provider.script({ kind: "fault", fault: "finish-recitation" });
  const got = await send(provider.url, hello("anthropic-messages"));
  expect(got.status).toBe(500);
  expect(got.bytes.toString()).toContain("exists on google-generative-ai; found a request of anthropic-messages");
});
