import { afterAll, beforeAll, expect, it } from "vitest";
import { faultOfText } from "./judge.ts";
import { makeStores } from "./stores.ts";
import { runHostile } from "./hostile.ts";

let stores: Awaited<ReturnType<typeof makeStores>>;
beforeAll(async () => void (stores = await makeStores()));
afterAll(() => stores.close());

it("no hostile text and no damaged store makes a function throw or stop, loses a text, or ends a command as it should not", async () => {
  const { counts, failure } = await runHostile({ seed: 20_260_205, runs: 300, commandEvery: 60 }, stores);
  expect(failure).toBeUndefined();
  expect(counts).toMatchObject({
    "changed corpus": expect.any(Number),
    "changed pages": expect.any(Number),
    deep: expect.any(Number),
    commands: 5,
  });
});

it("the same check passes a healthy session", async () => {
  const row = (id: string, parentId: string | null, message: object): string =>
    JSON.stringify({ type: "message", id, parentId, timestamp: "2026-02-05T21:20:00.000Z", message });
  const text = [
    JSON.stringify({ type: "session", version: 3, id: "s", timestamp: "2026-02-05T21:20:00.000Z", cwd: "/" }),
    row("e0", null, { role: "user", content: "a question" }),
    row("e1", "e0", { role: "assistant", content: [{ type: "text", text: "an answer" }], stopReason: "stop" }),
  ].join("\n");
  for (let turn = 0; turn < 5; turn++) expect(await faultOfText(text, turn)).toBeUndefined();
});
