import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unrepeated } from "./unrepeated.ts";

let server: Server;
let requests = 0;
beforeAll(async () => {
  server = createServer((_request, response) => {
    requests++;
    response.writeHead(500, { "content-type": "application/json", "retry-after-ms": "1" });
    response.end('{"error":{"message":"the words of the provider"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => server.close());

describe.each(["anthropic", "openai"])("the SDK of %s", (name) => {
  const send = async (): Promise<unknown> => {
    const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const asked = [{ role: "user" as const, content: "hello" }];
    if (name === "anthropic")
      return new Anthropic({ apiKey: "none", baseURL }).messages.create({ model: "m", max_tokens: 1, messages: asked });
    return new OpenAI({ apiKey: "none", baseURL }).chat.completions.create({ model: "m", messages: asked });
  };

  it("sends a request of the guard once and those of others as before, and both end with the provider's words", async () => {
    const count = async (sent: () => Promise<unknown>): Promise<number> => {
      requests = 0;
      await expect(sent()).rejects.toThrow("the words of the provider");
      return requests;
    };
    expect(await count(send)).toBe(3);
    expect(await count(() => unrepeated(send))).toBe(1);
    expect(await count(send)).toBe(3);
  });
});
