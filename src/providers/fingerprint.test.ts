import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { hello, send } from "../../harness/providers/client.ts";
import { toolHistory } from "../../harness/providers/histories.ts";
import { APIS, fingerprintBody, sameRequestTwice, startProvider, type StrictProvider } from "./index.ts";

let provider: StrictProvider;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.close());
beforeEach(() => provider.reset());

test.each(APIS)("%s: finds a request that is sent again, refused or not, and no other", async (api) => {
  provider.block("forbidden");
  await send(provider.url, hello(api, { content: "one" }));
  await send(provider.url, hello(api, { content: "forbidden" }));
  await send(provider.url, toolHistory(api, []));
  expect(sameRequestTwice(provider.requests)).toBeUndefined();
  await send(provider.url, hello(api, { content: "forbidden" }));
  expect(sameRequestTwice(provider.requests)).toEqual({ first: 1, second: 3 });
});

test("what the model does not read makes no difference", () => {
  const base = { model: "m", messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }] };
  const marked = {
    stream: true,
    metadata: { user_id: "u" },
    messages: [
      {
        content: [
          { text: "hi", type: "text", cache_control: { type: "ephemeral" } },
          { cachePoint: { type: "default" } },
        ],
        role: "user",
      },
    ],
    model: "m",
  };
  expect(fingerprintBody(marked)).toBe(fingerprintBody(base));
});

test("what the model reads does: text, order, role, system prompt, ids of calls", () => {
  const user = { role: "user", content: "a" };
  const bodies = [
    { messages: [user] },
    { messages: [{ ...user, content: "b" }] },
    { messages: [{ ...user, role: "assistant" }] },
    { messages: [user, { ...user, content: "b" }] },
    { messages: [{ ...user, content: "b" }, user] },
    { messages: [user], system: "s" },
    { messages: [{ role: "assistant", tool_calls: [{ id: "1" }] }] },
    { messages: [{ role: "assistant", tool_calls: [{ id: "2" }] }] },
    "text",
    null,
  ];
  expect(new Set(bodies.map(fingerprintBody)).size).toBe(bodies.length);
});

test("requests that are no JSON or no request of an API are never the same", async () => {
  for (let i = 0; i < 2; i++) await fetch(`${provider.url}/v1/messages`, { method: "POST", body: "{" });
  for (let i = 0; i < 2; i++) await fetch(`${provider.url}/v1/messages`);
  expect(provider.requests.map(({ fingerprint }) => fingerprint)).toEqual(["", "", "", ""]);
  expect(sameRequestTwice(provider.requests)).toBeUndefined();
});
