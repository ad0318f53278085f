import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { startProvider, type Provider } from "./server.ts";

const KEY = "0f7d5a1c-key";

async function started(): Promise<{ readonly provider: Provider; ask(key?: string): Promise<[number, string]> }> {
  const socketPath = join(newFolder(), "provider");
  const provider = await startProvider(socketPath, KEY);
  onTestFinished(() => provider.close());
  return {
    provider,
    async ask(key) {
      const headers = key === undefined ? {} : { "x-api-key": key };
      const sent = request({ socketPath, method: "POST", path: "/v1/messages", headers }).end('{"messages":[]}');
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      return [response.statusCode!, await text(response)];
    },
  };
}

test("each refusal of a body has the same text, so that no random digits decide what OpenClaw does with it", async () => {
  const { ask } = await started();
  const [status, first] = await ask(KEY);
  expect(status).toBe(400);
  expect(await ask(KEY)).toEqual([400, first]);
  expect(first).not.toMatch(/\d{3}/);
});

test("a request without the key of the proof is no part of it", async () => {
  const { ask, provider } = await started();
  for (const key of [undefined, "", "no-key", `${KEY}x`]) expect((await ask(key))[0]).toBe(401);
  expect(provider.requests).toEqual([]);
});
