/** Linking replies of OpenClaw's own writes into a user's transcript without a copy: no other line may be lost. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { linkLastReplies, linkReplies } from "./own-replies.ts";

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "own-replies-"));
  file = join(folder, "s.jsonl");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const user = (id: string, parentId: string | null): string =>
  JSON.stringify({ type: "message", id, parentId, message: { role: "user", content: id } });
const reply = (id: string, space = 0): string =>
  JSON.stringify({ type: "message", id, message: { role: "assistant", content: id, stopReason: "injected" } }).replace(
    "{",
    `{${" ".repeat(space)}`,
  );

const HEADER = '{"type":"session","version":3,"id":"s"}';
// Written as Latin-1: bytes that are no UTF-8 stay too.
const RECORD = '{"type":"heartbeat", "at": 7, "data":"ä"}';
const TORN = '{"type":"message","id":"to';

/** The file's lines without blank ones, which hold the room that is left. */
function readTexts(): string[] {
  return readFileSync(file, "latin1")
    .split("\n")
    .filter((line) => line.trim() !== "");
}

const idIn = (line: string): unknown => (JSON.parse(line) as { id?: unknown }).id;

describe("lines among the replies that end a transcript", () => {
  it.each([
    ["a record between two replies", [reply("r1"), RECORD, reply("r2")]],
    ["a record behind the last reply", [reply("r1"), RECORD]],
    ["a line that is no JSON between two replies", [reply("r1"), TORN, reply("r2")]],
    ["a line that is no JSON behind the last reply", [reply("r1"), reply("r2"), TORN]],
    ["a record behind a reply that gets shorter", [reply("r1", 90), RECORD]],
  ])("stay as they are, at their place: %s", (_name, lines) => {
    writeFileSync(file, [HEADER, user("a", null), ...lines, ""].join("\n"), "latin1");
    linkLastReplies(file);
    let parent = "a";
    const expected = lines.map((line) => {
      if (line === RECORD || line === TORN) return line;
      const linked = { ...(JSON.parse(line) as { id: string }), parentId: parent };
      parent = linked.id;
      return JSON.stringify(linked);
    });
    expect(readTexts()).toEqual([HEADER, user("a", null), ...expected]);
  });

  const line = fc.oneof(
    fc.constantFrom(RECORD, TORN, "", "   ", "null", '{"type":"session","version":3,"id":"again"}'),
    fc.constantFrom("reply", "message"),
    fc.integer({ min: 1, max: 200 }).map((space) => ({ space })),
  );

  it("are all still there, byte for byte and in their order, and a second time nothing is written", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (drawn) => {
        let last = "a";
        const lines = drawn.map((one, at) => {
          if (typeof one === "object") return reply(`r${at}`, one.space);
          if (one === "reply") return reply(`r${at}`);
          if (one !== "message") return one;
          const row = user(`m${at}`, last);
          last = `m${at}`;
          return row;
        });
        writeFileSync(file, [HEADER, user("a", null), ...lines, ""].join("\n"), "latin1");
        const before = readTexts();
        linkLastReplies(file);
        const texts = readTexts();
        const end = before.findLastIndex((text) => text.includes('"user"'));
        let parent: unknown = last;
        expect(texts).toEqual(
          before.map((text, at) => {
            if (at < end || !text.includes('"injected"')) return text;
            const linked = JSON.stringify({ ...(JSON.parse(text) as object), parentId: parent });
            parent = idIn(text);
            return linked;
          }),
        );
        const bytes = readFileSync(file);
        linkLastReplies(file);
        expect(readFileSync(file).equals(bytes)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("the room that a kill has left behind them is used, and the file does not grow with each kill", () => {
    const whole = [HEADER, user("a", null), reply("r1"), ""].join("\n");
    writeFileSync(file, whole);
    linkLastReplies(file);
    const { length } = readFileSync(file);
    writeFileSync(file, `${whole}${" ".repeat(length - whole.length - 1)}\n`);
    linkLastReplies(file);
    expect(readFileSync(file)).toHaveLength(length);
  });

  it("a file in which a reply is another one by now is not written, whatever its size", () => {
    const begin = `${HEADER}\n${user("a", null)}\n`;
    const text = begin + reply("r2") + "\n";
    writeFileSync(file, text);
    const read = { bytes: Buffer.from(reply("r1")), at: Buffer.byteLength(begin), isEnded: true };
    const row = JSON.parse(reply("r1")) as Record<string, unknown>;
    expect(() => linkReplies(file, [{ row, line: read }], "a", Buffer.byteLength(text))).toThrow(/somebody writes/);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("a last line that somebody is still writing is left to them", () => {
    const begin = `${HEADER}\n${user("a", null)}\n`;
    writeFileSync(file, `${begin}${reply("r1")}\n`);
    appendFileSync(file, TORN);
    const text = readFileSync(file, "utf8");
    const read = { bytes: Buffer.from(reply("r1")), at: Buffer.byteLength(begin), isEnded: true };
    const row = JSON.parse(reply("r1")) as Record<string, unknown>;
    expect(() => linkReplies(file, [{ row, line: read }], "a", Buffer.byteLength(text))).toThrow(/somebody writes/);
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});
