import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hello, send, understand } from "../../harness/providers/client.ts";
import { APIS, startProvider, type Api, type StrictProvider } from "./index.ts";

let provider: StrictProvider;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.close());
beforeEach(() => provider.reset());

/** The chunks of an answer, each noted in `order` under `name` as it comes. */
async function watch(api: Api, name: string, order: string[]): Promise<Buffer> {
  const { path, body } = hello(api, { content: name });
  const response = await fetch(provider.url + path, { method: "POST", body: JSON.stringify(body) });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk as Uint8Array);
    order.push(name);
  }
  return Buffer.concat(chunks);
}

describe.each(APIS)("%s", (api) => {
  test("a paced answer comes in pieces, in order and whole, and others come between them", async () => {
    const text = "one two three four five six seven eight";
    provider.script({ kind: "text", text, pieces: 8, pace: 15, times: 2 });
    const order: string[] = [];
    const both = await Promise.all([watch(api, "a", order), watch(api, "b", order)]);
    for (const bytes of both) expect(understand(api, bytes)).toMatchObject({ text });
    expect(order.filter((name) => name === "a").length).toBeGreaterThan(4);
    // Neither waited for the other: both have begun before either has ended.
    expect(order.indexOf("b")).toBeLessThan(order.lastIndexOf("a"));
    expect(order.indexOf("a")).toBeLessThan(order.lastIndexOf("b"));
  });

  test("a paced error comes behind the pieces before it", async () => {
    provider.script({ kind: "fault", fault: "content-filter-in-text", text: "one two three four", pieces: 4, pace: 5 });
    const read = understand(api, (await send(provider.url, hello(api))).bytes);
    expect(read.text).toBe("one t");
    expect(read.error).toMatch(/filter/i);
  });

  test("a client that leaves in the middle does not stop the server", async () => {
    provider.script({ kind: "text", text: "a".repeat(50), pieces: 50, pace: 10 });
    const leaving = new AbortController();
    const gone = await send(provider.url, hello(api), { signal: leaving.signal, onBytes: () => leaving.abort() });
    expect(gone.broken).toBe(true);
    expect(understand(api, (await send(provider.url, hello(api))).bytes).text).toBe("ok 2");
  });
});
