import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { repairSessionFile } from "./session-file.ts";

const WINDOW = 200_000;
const LARGE = "paste ".repeat(200_000);

let file: string;

beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), "integrity-room-")), "s.jsonl");
});

/** A transcript whose last message but one has this text. */
function store(text: string): void {
  const header = { type: "session", version: 3, id: "s", timestamp: "2026-06-08T00:00:00.000Z", cwd: "/" };
  const messages = ["one", "two", text, "four"].map((words, nth) => ({
    type: "message",
    id: `e${nth}`,
    parentId: nth === 0 ? null : `e${nth - 1}`,
    timestamp: "2026-06-08T00:00:00.000Z",
    message: { role: nth % 2 === 0 ? "user" : "assistant", content: [{ type: "text", text: words }] },
  }));
  writeFileSync(file, [header, ...messages].map((row) => `${JSON.stringify(row)}\n`).join(""));
}

/** The window that OpenClaw counts with in an attempt. */
async function windowFor(prompt: string, runId = "run-1"): Promise<number> {
  const attempt = { prompt, runId, contextTokenBudget: WINDOW };
  await repairSessionFile(file, attempt);
  return attempt.contextTokenBudget;
}

it.each([
  ["in letters", LARGE],
  ["in Chinese, a token a character", "河".repeat(170_000)],
])("has OpenClaw send a message that no compaction makes room for: %s", async (_script, prompt) => {
  store("three");
  expect(await windowFor(prompt)).toBeGreaterThan(WINDOW + 180_000);
});

it("has OpenClaw send the message behind one that every compaction keeps", async () => {
  store(LARGE);
  expect(await windowFor("and then")).toBeGreaterThan(WINDOW + 300_000);
  store(`${LARGE}!`);
  expect(await windowFor("and then", "run-2")).toBeGreaterThan(WINDOW + 300_000);
});

it("leaves the count to OpenClaw where a compaction makes room, until it has not", async () => {
  store("three");
  const prompt = LARGE.slice(0, 300_000);
  expect(await windowFor(prompt)).toBe(WINDOW);
  expect(await windowFor(prompt, "run-2")).toBe(WINDOW);
  expect(await windowFor(prompt, "run-2")).toBeGreaterThan(WINDOW + 75_000);
});

it("takes a picture for what OpenClaw counts it as, not for its bytes", async () => {
  store("three");
  const picture = { type: "image", mimeType: "image/png", data: "A".repeat(3_000_000) };
  const row = { type: "message", id: "e4", parentId: "e3", message: { role: "user", content: [picture] } };
  writeFileSync(file, `${JSON.stringify(row)}\n`, { flag: "a" });
  expect(await windowFor("what is this")).toBe(WINDOW);
});

it("leaves what is no attempt as it is", async () => {
  store(LARGE);
  const compaction = { contextTokenBudget: WINDOW };
  await repairSessionFile(file, compaction);
  await repairSessionFile(file);
  expect(compaction).toEqual({ contextTokenBudget: WINDOW });
});
