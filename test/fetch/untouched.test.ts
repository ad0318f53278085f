/** What a healing fetch passes on as it was given: real traffic, requests that are none to a model, bodies it cannot read. */
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VALID } from "../../harness/lists/faults.ts";
import { RENDER } from "../../harness/lists/forms.ts";
import { loadRecorded, RECORDED_APIS } from "../../harness/recorded/recorded.ts";
import { healingFetch } from "../../src/fetch/index.ts";
import { pathFor } from "./paths.ts";

type Call = Parameters<typeof fetch>;

/** The calls that go out for one call of a healing fetch, and what it gives. */
async function through(args: Call, response = new Response("ok")): Promise<{ sent: Call[]; given: Response }> {
  const sent: Call[] = [];
  const heal = healingFetch({
    fetch: async (...all) => (sent.push(all), response),
    onHealed: (healed) => expect.unreachable(JSON.stringify(healed)),
  });
  return { sent, given: await heal(...args) };
}

const BROKEN = JSON.stringify({ model: "m", max_tokens: 9, messages: RENDER.anthropic(VALID.slice(2)) });
const POST = { method: "POST", body: BROKEN };
const MESSAGES = "https://api.anthropic.com/v1/messages";

describe.each(RECORDED_APIS)("requests to %s that real providers answered", (api) => {
  const answered = [...loadRecorded(api)].filter(([, { status }]) => status === 200);

  it.each(answered)("line %i", async (_line, { host, model, body }) => {
    const path = pathFor(api).replace("claude-test", encodeURIComponent(model));
    const args: Call = [`https://${host}${path}`, { method: "POST", body: JSON.stringify(body) }];
    const { sent } = await through(args);
    expect(sent).toEqual([args]);
    expect(sent[0]![1]).toBe(args[1]);
  });
});

it.each<[string, Call]>([
  ["a GET", [MESSAGES, { method: "GET" }]],
  ["no settings", [MESSAGES]],
  ["an address of no model", ["https://example.com/v1/threads", POST]],
  [
    "another service's messages",
    ["https://example.com/v1/messages", { method: "POST", body: '{"messages":[{"id":1}]}' }],
  ],
  ["a batch", ["https://api.anthropic.com/v1/messages/batches", POST]],
  ["a count of tokens", ["https://api.anthropic.com/v1/messages/count_tokens", POST]],
  ["no address", ["/v1/messages", POST]],
  ["no JSON", [MESSAGES, { ...POST, body: `${BROKEN}}` }]],
  ["a compressed body", [MESSAGES, { ...POST, body: gzipSync(BROKEN), headers: { "Content-Encoding": "gzip" } }]],
  ["a signed body", [MESSAGES, { ...POST, headers: [["Authorization", "AWS4-HMAC-SHA256 Credential=a"]] }]],
  ["a body with a digest", [MESSAGES, { ...POST, headers: { "Content-Digest": "sha-256=:a:" } }]],
  ["a stream", [MESSAGES, { method: "POST", body: new Blob([BROKEN]).stream(), duplex: "half" } as RequestInit]],
  ["a form", [MESSAGES, { method: "POST", body: new URLSearchParams({ messages: "[]" }) }]],
])("passes on %s with the arguments as they are, and the response as it came", async (_what, args) => {
  const response = new Response("ok");
  const { sent, given } = await through(args, response);
  expect(sent).toHaveLength(1);
  expect(sent[0]).toHaveLength(args.length);
  for (const [at, arg] of args.entries()) expect(sent[0]![at]).toBe(arg);
  expect(given).toBe(response);
});

it("gives an answer that streams before its end, and takes the program's break of it to the server", async () => {
  let isBroken = false;
  const endless = new ReadableStream({
    start: (held) => held.enqueue(new TextEncoder().encode("data: 1\n\n")),
    cancel: () => void (isBroken = true),
  });
  const heal = healingFetch({ fetch: async () => new Response(endless) });
  const response = await heal(MESSAGES, POST);
  const reader = response.body!.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("data: 1\n\n");
  await reader.cancel();
  expect(isBroken).toBe(true);
});

describe("a healed request", () => {
  const settings: RequestInit = { ...POST, headers: { "x-own": "1" }, redirect: "error", keepalive: true };
  const bytes = new TextEncoder().encode(BROKEN);
  it.each<[string, Call, string | null]>([
    ["a text", [MESSAGES, settings], null],
    ["a URL", [new URL(MESSAGES), settings], null],
    ["bytes", [MESSAGES, { ...settings, body: bytes }], null],
    ["a part of a buffer", [MESSAGES, { ...settings, body: new Uint8Array([32, ...bytes, 32]).subarray(1, -1) }], null],
    ["a Blob", [MESSAGES, { ...settings, body: new Blob([bytes], { type: "application/json" }) }], "application/json"],
    ["a Request", [new Request(MESSAGES, settings)], "text/plain;charset=UTF-8"],
    ["a Request and settings", [new Request(MESSAGES, { method: "POST", body: "{}" }), settings], null],
  ])("of %s has the settings of the given one", async (_what, args, type) => {
    const sent: Call[] = [];
    await healingFetch({ fetch: async (...all) => (sent.push(all), new Response("ok")) })(...args);
    const request = new Request(...sent[0]!);
    expect([request.url, request.method, request.redirect, request.keepalive]).toEqual([
      MESSAGES,
      "POST",
      "error",
      true,
    ]);
    expect([request.headers.get("x-own"), new Headers(sent[0]![1]!.headers).get("content-type")]).toEqual(["1", type]);
    const text = await request.text();
    expect(text).not.toBe(BROKEN);
    for (const word of ["AX71", "BX82", "Both are paid."]) expect(text).toContain(word);
    // A length that the program has set is that of its own body.
    expect(request.headers.has("content-length")).toBe(false);
  });

  it("is told of by a listener whose own error harms nothing", async () => {
    const onHealed = (): never => {
      throw new Error("of the program");
    };
    const heal = healingFetch({ fetch: async () => new Response("ok"), onHealed });
    expect(await (await heal(MESSAGES, POST)).text()).toBe("ok");
  });
});

describe("whatever it is called with", () => {
  const strange = fc.oneof(fc.anything({ maxDepth: 3 }), fc.constantFrom(MESSAGES, POST, new URL(MESSAGES)));
  const strangeBody = fc.record(
    {
      model: fc.anything({ maxDepth: 1 }),
      max_tokens: fc.integer(),
      messages: fc.array(fc.anything({ maxDepth: 4, withNullPrototype: true }), { maxLength: 6 }),
      input: fc.array(fc.anything({ maxDepth: 4 }), { maxLength: 6 }),
      contents: fc.array(fc.anything({ maxDepth: 4 }), { maxLength: 6 }),
    },
    { requiredKeys: [] },
  );
  const paths = RECORDED_APIS.map(pathFor);

  it("calls fetch once with the same, and rejects as it does, where the call is of no known kind", async () => {
    await fc.assert(
      fc.asyncProperty(strange, strange, async (input, init) => {
        const failure = new TypeError("of fetch");
        const sent: unknown[][] = [];
        const send = async (...all: unknown[]): Promise<Response> => {
          sent.push(all);
          throw failure;
        };
        const calls = healingFetch({ fetch: send as typeof fetch })(input as string, init as RequestInit);
        await expect(calls).rejects.toBe(failure);
        expect(sent).toHaveLength(1);
      }),
      { numRuns: 300 },
    );
  });

  it("makes at most three requests, and gives the program a response that can be read: its own refusal where none helps", async () => {
    const errors = ["messages.1: bad", "prompt is too long: 9 tokens > 8 maximum", "tool_use ids must be unique", ""];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        strangeBody,
        fc.array(fc.tuple(fc.constantFrom(200, 400, 413, 422, 429, 500), fc.constantFrom(...errors)), { maxLength: 4 }),
        async (path, body, answers) => {
          let text: string | undefined;
          try {
            text = JSON.stringify(body, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value));
          } catch {
            fc.pre(false);
          }
          let count = 0;
          const given: Response[] = [];
          const send: typeof fetch = async () => {
            const [status, said] = answers[count++] ?? [400, "no"];
            given.push(new Response(said, { status }));
            return given.at(-1)!;
          };
          const response = await healingFetch({ fetch: send })(`https://h${path}`, { method: "POST", body: text! });
          expect(count).toBeLessThanOrEqual(3);
          expect(given).toContain(response);
          expect(response.bodyUsed).toBe(false);
          if (!response.ok && response.status < 500 && response.status !== 429) expect(response).toBe(given[0]);
        },
      ),
      { numRuns: 400 },
    );
  });
});
