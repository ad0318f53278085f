import { afterEach, expect, it } from "vitest";
import { startFront, type Front } from "./front.ts";
import { Progress } from "./progress.ts";

let front: Front | undefined;
afterEach(() => front?.close());

async function ask(url: string, tag: string): Promise<string> {
  const body = {
    model: "claude-opus-4-5",
    max_tokens: 10,
    stream: true,
    messages: [{ role: "user", content: `hello (${tag})` }],
  };
  const headers = { "content-type": "application/json", "x-api-key": "none", "anthropic-version": "2023-06-01" };
  return await (await fetch(`${url}/v1/messages`, { method: "POST", headers, body: JSON.stringify(body) })).text();
}

it("gives each conversation its own answers, also when they ask at once, and marks what passes", async () => {
  const progress = new Progress();
  front = await startFront(progress);
  const [one, two] = [await front.open("session-1a"), await front.open("session-2b")];
  one.play("1a-0", { kind: "text", text: "the first", pieces: 1 });
  two.play("2b-0", { kind: "text", text: "the second", pieces: 1 });
  const [second, first] = await Promise.all([ask(front.url, "session-2b"), ask(front.url, "session-1a")]);
  expect([first.includes("the first"), second.includes("the second")]).toEqual([true, true]);
  expect([one.requests().length, two.requests().length]).toEqual([1, 1]);
  for (const mark of ["request 1", "piece 1.1", "piece 1.2", "streamed 1"])
    expect(progress.at(`1a-0 ${mark}`), mark).toBeDefined();
});

it("forgets what is left of a killed turn's script, and keeps the requests", async () => {
  front = await startFront(new Progress());
  const line = await front.open("session-1a");
  line.play("1a-0", { kind: "text", text: "one" }, { kind: "text", text: "left over" });
  await ask(front.url, "session-1a");
  line.play("1a-1", { kind: "text", text: "two", pieces: 1 });
  expect(await ask(front.url, "session-1a")).toContain("two");
  expect(line.requests()).toHaveLength(2);
});

it("says so when a request belongs to no conversation", async () => {
  front = await startFront(new Progress());
  await ask(front.url, "nobody");
  expect(front.strays()).toBe(1);
});
