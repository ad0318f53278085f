/** What a healing fetch does where a provider refuses a request for something that no rule knows. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { FAULTS, VALID } from "../../harness/lists/faults.ts";
import { RENDER } from "../../harness/lists/forms.ts";
import {
  atMostToolUses,
  noTextBesideToolUse,
  noToolBlocksAtAll,
  refuseEverything,
  startProvider,
  type Api,
  type ExtraRule,
  type StrictProvider,
} from "../../harness/providers/index.ts";
import { healingFetch, type HealedRequest } from "../../src/fetch/index.ts";
import { pathFor } from "./paths.ts";

let provider: StrictProvider;
beforeAll(async () => void (provider = await startProvider()));
beforeEach(() => provider.reset());
afterAll(() => provider.close());

const BODIES: Partial<Record<Api, (steps: typeof VALID) => object>> = {
  "anthropic-messages": (steps) => ({ model: "m", max_tokens: 9, messages: RENDER.anthropic(steps) }),
  "openai-completions": (steps) => ({ model: "m", messages: RENDER.chat(steps) }),
  "openai-responses": (steps) => ({ model: "m", input: RENDER.responses(steps) }),
};
const RULES: Record<string, ExtraRule> = {
  "no text beside a call": noTextBesideToolUse(),
  "no calls at all": noToolBlocksAtAll(),
  "one call in a request": atMostToolUses(1),
};

/** Responses has no message in which a text stands beside a call. */
function rulesFor(api: Api): [string, ExtraRule][] {
  return Object.entries(RULES).filter(([name]) => api !== "openai-responses" || name !== "no text beside a call");
}

function makeRequest(api: Api, steps = VALID): [string, RequestInit] {
  const headers = { "content-type": "application/json", "idempotency-key": "k1" };
  return [provider.url + pathFor(api), { method: "POST", headers, body: JSON.stringify(BODIES[api]!(steps)) }];
}

describe.each(Object.keys(BODIES) as Api[])("a refused request to %s", (api) => {
  it.each(rulesFor(api))("is answered in another form, and the next one at once: %s", async (_name, rule) => {
    provider.enforce(rule);
    const seen: HealedRequest[] = [];
    const heal = healingFetch({ onHealed: (healed) => seen.push(healed) });
    expect((await heal(...makeRequest(api))).status).toBe(200);
    const first = provider.requests.length;
    expect(first).toBeGreaterThan(1);
    expect(first).toBeLessThanOrEqual(3);
    expect(seen[0]).toMatchObject({ api, healings: [], requests: first, status: 200 });
    expect(seen[0]!.forms.length).toBeGreaterThan(0);
    // No text is lost in it, and none of the requests is given a key that was used.
    for (const text of ["Pay invoices 17 and 18, please.", "AX71", "BX82", "Both are paid.", "CQ93", "Are you there?"])
      expect(provider.requests.at(-1)!.raw).toContain(text);
    expect(new Set(provider.requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(first);
    expect((await heal(...makeRequest(api))).status).toBe(200);
    expect(provider.requests).toHaveLength(first + 1);
  });

  const long = (text: string | null): string => `${text} ${"dir ".repeat(9000)}`;
  it.each<[string, typeof VALID]>([
    ["by all results", VALID.map((step) => (step.kind === "result" ? { ...step, text: long(step.text) } : step))],
    [
      "by its newest result",
      VALID.slice(0, 8).map((step, at) =>
        at === 7 ? ({ ...step, text: long("file CQ93.txt") } as typeof step) : step,
      ),
    ],
    [
      "by what a call asks",
      VALID.slice(0, 8).map((step) =>
        step.kind === "assistant" && step.text === ""
          ? { ...step, calls: [{ ...step.calls[0]!, input: { path: long("/home") } }] }
          : step,
      ),
    ],
  ])(
    "is made smaller where it is too large %s, keeps the question, and so is the next one at once",
    async (_by, steps) => {
      const MOST = 30_000;
      provider.front(({ raw }) => {
        const message = `prompt is too long: ${Math.ceil(raw.length / 4)} tokens > ${MOST / 4} maximum`;
        const error = { type: "invalid_request_error", code: "context_length_exceeded", message };
        return raw.length <= MOST ? undefined : { status: 400, body: JSON.stringify({ type: "error", error }) };
      });
      const heal = healingFetch();
      expect((await heal(...makeRequest(api, steps))).status).toBe(200);
      const first = provider.requests.length;
      expect(first).toBeLessThanOrEqual(3);
      const { raw } = provider.requests.at(-1)!;
      expect(raw).toContain(steps.findLast((step) => step.kind === "user")!.text);
      expect((await heal(...makeRequest(api, steps))).status).toBe(200);
      expect(provider.requests).toHaveLength(first + 1);
    },
  );

  it("is given back as it was refused where nothing helps, and another conversation is not changed by it", async () => {
    provider.enforce(refuseEverything());
    const heal = healingFetch();
    const refused = await fetch(...makeRequest(api));
    provider.reset();
    provider.enforce(refuseEverything());
    const response = await heal(...makeRequest(api));
    expect(provider.requests.length).toBeLessThanOrEqual(3);
    expect(response.status).toBe(refused.status);
    expect(await response.text()).toBe(await refused.text());
    expect([...response.headers.keys()]).toEqual([...refused.headers.keys()]);
    provider.relax();
    const other = VALID.slice(0, -1).map((step) => (step.kind === "user" ? { ...step, text: `${step.text}!` } : step));
    const given = makeRequest(api, other);
    expect((await heal(...given)).status).toBe(200);
    expect(provider.requests.at(-1)!.raw).toBe(given[1].body);
  });

  it("keeps a block of a new type where it is taken, and is made once more with its words, and all calls, where not", async () => {
    const [address, init] = makeRequest(api);
    const body = JSON.parse(init.body as string) as Record<string, object[]>;
    const field = api === "openai-responses" ? "input" : "messages";
    const type = api === "openai-responses" ? "input_text" : "text";
    const scan = { type: "hologram_scan", views: [{ angle: 3 }], note: "the left door" };
    const asked = { role: "user", content: [{ type, text: "What is this?" }, scan] };
    const given: RequestInit = { ...init, body: JSON.stringify({ ...body, [field]: [...body[field]!, asked] }) };
    const untouched = healingFetch({ fetch: async (_to, sent) => new Response(sent?.body as string) });
    expect(await (await untouched(address, given)).text()).toBe(given.body);
    const heal = healingFetch();
    for (const requests of [2, 3]) {
      expect((await heal(address, given)).status).toBe(200);
      expect(provider.requests).toHaveLength(requests);
      const { raw } = provider.requests.at(-1)!;
      expect(raw).toContain("the left door");
      for (const item of body[field]!) expect(raw).toContain(JSON.stringify(item));
    }
  });

  it.each([401, 404, 429, 500, 529])("is not made again for status %i", async (status) => {
    provider.front(() => ({ status, body: '{"error":{"message":"no"}}' }) as never);
    const given = makeRequest(api);
    const response = await healingFetch({ onHealed: () => expect.unreachable() })(...given);
    expect([response.status, await response.text()]).toEqual([status, '{"error":{"message":"no"}}']);
    expect(provider.requests.map(({ raw }) => raw)).toEqual([given[1].body]);
  });

  it.each(["max_tokens", "temperature", "tools[0].function.parameters", "response_format", "reasoning_effort", "foo"])(
    "is given to the program where it names another field, or two requests with less of the history are made: %s",
    async (param) => {
      const errors = [
        { error: { message: "This value is not allowed.", type: "invalid_request_error", param } },
        { detail: [{ type: "value_error", loc: ["body", ...param.split(".")], msg: "Value must not be empty" }] },
        { error: { message: "Invalid", path: param } },
      ];
      for (const error of errors) {
        provider.reset();
        provider.front(() => ({ status: 400, body: JSON.stringify(error) }));
        const given = makeRequest(api);
        // A program that makes the same mistake each time is no proof of a broken history.
        const heal = healingFetch({ onHealed: () => expect.unreachable() });
        for (let turn = 1; turn <= 4; turn++) {
          const response = await heal(...given);
          expect([response.status, await response.json()]).toEqual([400, error]);
          expect(provider.requests.map(({ raw }) => raw)).toEqual(Array(turn).fill(given[1].body));
        }
      }
    },
  );

  it.each([
    "temperature: range: 0..1",
    "max_tokens: 9999 > 8192, which is the maximum allowed number of output tokens for m",
    "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    "thinking.budget_tokens: Input should be greater than or equal to 1024",
    "tools.0.name: Field required",
    "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12",
    "tools: Tool names must be unique.",
    "system: Input should be a valid list",
    "system.0.cache_control.ttl: Input should be '5m' or '1h'",
    "metadata.user_id: String should have at most 256 characters",
    "a_new_field: Input should be a valid string",
    "anthropic_beta: Input should be a valid list",
  ])("is given to the program where its words begin with another field: %s", async (message) => {
    const error = { type: "error", error: { type: "invalid_request_error", message } };
    provider.front(() => ({ status: 400, body: JSON.stringify(error) }));
    const given = makeRequest(api);
    const heal = healingFetch({ onHealed: () => expect.unreachable() });
    for (let turn = 1; turn <= 4; turn++) {
      const response = await heal(...given);
      expect([response.status, await response.json()]).toEqual([400, error]);
      expect(provider.requests.map(({ raw }) => raw)).toEqual(Array(turn).fill(given[1].body));
    }
  });

  it.each([
    "messages.1.content.0.thinking.signature: Field required",
    "messages: roles must alternate",
    "error: the messages cannot be read",
    "content: Input should be a valid list",
    "role: Input should be user or assistant",
  ])("is sent in another form where its words begin with the history: %s", async (message) => {
    provider.front(() => ({ status: 400, body: JSON.stringify({ error: { message } }) }));
    expect((await healingFetch()(...makeRequest(api))).status).toBe(400);
    expect(provider.requests.length).toBeGreaterThan(1);
  });

  it.each([
    ["messages", "This value is not allowed."],
    ["system", "This value is not allowed."],
    ["tool_calls", "This value is not allowed."],
    ["content", "This value is not allowed."],
    ["validation_error", "This value is not allowed."],
    ["tools", "Tools are needed where there are tool calls."],
  ])("is sent in another form where it may be of the history: %s", async (param, message) => {
    provider.front(() => ({ status: 400, body: JSON.stringify({ error: { message, param } }) }));
    expect((await healingFetch()(...makeRequest(api))).status).toBe(400);
    expect(provider.requests.length).toBeGreaterThan(1);
  });

  it.each([429, 529])(
    "gives status %i of the second request, which SDKs try again, and makes no third",
    async (status) => {
      provider.enforce(noToolBlocksAtAll());
      provider.front(() => (provider.requests.length > 1 ? { status, body: "{}" } : undefined));
      const seen: HealedRequest[] = [];
      const response = await healingFetch({ onHealed: (healed) => seen.push(healed) })(...makeRequest(api));
      expect([response.status, await response.text()]).toEqual([status, "{}"]);
      expect(provider.requests).toHaveLength(2);
      expect(seen).toMatchObject([{ requests: 2, status }]);
    },
  );

  it("gives the refusal where the connection breaks on the second request, and no answer of a later one", async () => {
    provider.enforce(noToolBlocksAtAll());
    let count = 0;
    const send: typeof fetch = async (...args) => {
      if (++count > 1) throw new TypeError("fetch failed");
      return await fetch(...args);
    };
    const response = await healingFetch({ fetch: send })(...makeRequest(api));
    expect(response.ok).toBe(false);
    expect(await response.json()).toHaveProperty("error");
    expect(count).toBe(2);
  });

  it("rejects with the abort of the program, and makes no further request", async () => {
    provider.enforce(noToolBlocksAtAll());
    const stop = new AbortController();
    let count = 0;
    const send: typeof fetch = async (...args) => {
      if (++count === 2) stop.abort(new Error("enough"));
      return await fetch(...args);
    };
    const [address, init] = makeRequest(api);
    await expect(healingFetch({ fetch: send })(address, { ...init, signal: stop.signal })).rejects.toThrow("enough");
    expect(count).toBe(2);
  });

  it("does not wait for the end of a refusal that never ends", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const endless = new ReadableStream({ start: (held) => held.enqueue(new TextEncoder().encode('{"error":')) });
    const send: typeof fetch = async () => new Response(endless, { status: 400 });
    const pending = healingFetch({ fetch: send })(...makeRequest(api));
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await pending).status).toBe(400);
    vi.useRealTimers();
  });

  it("is healed and not refused where the history is broken and the provider is strict besides", async () => {
    provider.enforce(noToolBlocksAtAll());
    const heal = healingFetch();
    for (const steps of [FAULTS["a kill before the last result"]!, FAULTS["a result whose call is gone"]!])
      expect((await heal(...makeRequest(api, steps))).status).toBe(200);
  });
});

it("is answered where another one has taught what it is refused for while it was under way", async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const send: typeof fetch = async (_address, init) => {
    const body = String(init!.body);
    if (!body.includes('"developer"')) return new Response("ok");
    if (body.includes("slow")) await held;
    return new Response('{"error":{"message":"invalid msg role: developer"}}', { status: 400 });
  };
  const heal = healingFetch({ fetch: send });
  const ask = async (content: string): Promise<Response> => {
    const messages = [
      { role: "developer", content: "Be brief." },
      { role: "user", content },
    ];
    return await heal("https://h/v1/chat/completions", { method: "POST", body: JSON.stringify({ messages }) });
  };
  const slow = ask("slow");
  expect((await ask("quick")).status).toBe(200);
  release();
  expect((await slow).status).toBe(200);
});
