import { expect, onTestFinished, test } from "vitest";
import { startProvider } from "./server.ts";

test("each refusal of a body has the same text, so that no random digits decide what OpenClaw does with it", async () => {
  const provider = await startProvider();
  onTestFinished(() => provider.close());
  const refuse = async (): Promise<string> => {
    const response = await fetch(`${provider.url}/v1/messages`, { method: "POST", body: '{"messages":[]}' });
    expect(response.status).toBe(400);
    return response.text();
  };
  const first = await refuse();
  expect(await refuse()).toBe(first);
  expect(first).not.toMatch(/\d{3}/);
});
