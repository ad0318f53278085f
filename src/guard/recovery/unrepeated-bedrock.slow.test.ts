import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ensureRelease } from "../../../harness/openclaw/ensure-release.ts";
import { unrepeated } from "./unrepeated.ts";

interface Sdk {
  NodeHttpHandler: new () => object;
  BedrockRuntimeClient: new (config: object) => { send(command: object): Promise<unknown> };
  ConverseStreamCommand: new (input: object) => object;
}

let server: Server;
let sdk: Sdk;
let requests = 0;
beforeAll(async () => {
  const { stock } = await ensureRelease("2026.2.3");
  const load = createRequire(join(stock, "package.json"));
  sdk = { ...load("@aws-sdk/client-bedrock-runtime"), ...load("@smithy/node-http-handler") } as Sdk;
  server = createServer((request, response) => {
    requests++;
    request.resume();
    response.writeHead(500, { "content-type": "application/json" });
    response.end('{"message":"the words of the provider"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
}, 600_000);
afterAll(() => server.close());

it("Bedrock's SDK sends a request of the guard once and those of others as before, of one client too", async () => {
  const client = new sdk.BedrockRuntimeClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: "us-east-1",
    credentials: { accessKeyId: "none", secretAccessKey: "none" },
    requestHandler: new sdk.NodeHttpHandler(),
  });
  const send = (): Promise<unknown> =>
    client.send(
      new sdk.ConverseStreamCommand({ modelId: "m", messages: [{ role: "user", content: [{ text: "hi" }] }] }),
    );
  const count = async (sent: () => Promise<unknown>): Promise<number> => {
    requests = 0;
    await expect(sent()).rejects.toThrow("the words of the provider");
    return requests;
  };
  expect(await count(send)).toBe(3);
  expect(await count(() => unrepeated(send))).toBe(1);
  const [others, own] = [count(send), unrepeated(send).catch(() => undefined)];
  await own;
  await others;
  expect(requests).toBe(4);
  expect(await count(send)).toBe(3);
});
