import { expect, test } from "vitest";
import { isEntry, parseLines, toTranscript } from "./transcript.ts";

const MESSAGES = [
  { role: "user", content: "one" },
  { role: "assistant", content: [{ type: "text", text: "two" }], timestamp: 5 },
];

const parseEntries = (jsonl: string) => parseLines(jsonl).filter(isEntry);

test("writes OpenClaw's stored format", () => {
  const [header, first, second, ...rest] = parseEntries(toTranscript(MESSAGES));
  expect(header).toMatchObject({
    type: "session",
    version: 3,
    id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  });
  expect(first).toMatchObject({
    type: "message",
    parentId: null,
    message: { role: "user", timestamp: expect.any(Number) },
  });
  expect(second).toMatchObject({ type: "message", parentId: first?.["id"], message: MESSAGES[1] });
  expect(rest).toEqual([]);
});

test("is deterministic, and different seeds give different ids", () => {
  expect(toTranscript(MESSAGES)).toBe(toTranscript(MESSAGES));
  expect(toTranscript(MESSAGES, { seed: "other" })).not.toBe(toTranscript(MESSAGES));
});

test("writes the older formats and a file without a header", () => {
  expect(parseEntries(toTranscript(MESSAGES, { header: "none" })).map((entry) => entry["type"])).toEqual([
    "message",
    "message",
  ]);
  expect(parseEntries(toTranscript(MESSAGES, { header: 2 }))[0]).toMatchObject({ version: 2 });
  const flat = parseEntries(toTranscript(MESSAGES, { header: 1 }));
  expect(flat[0]).not.toHaveProperty("version");
  expect(flat[1]).not.toHaveProperty("id");
});

test("reads what it can of a broken file", () => {
  expect(parseLines('{"a":1}\n\n{"b":\n5\n')).toEqual([{ a: 1 }, 5]);
});
