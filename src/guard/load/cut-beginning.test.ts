import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { repairEntries } from "../../transcript/entries.ts";
import type { JsonObject } from "../../transcript/json/json.ts";
import { withCutBeginning } from "./cut-beginning.ts";

const HEADER = { type: "session", version: 3, id: "s1", timestamp: "2026-11-01T09:00:00.000Z" };
const WORDS = ["heron", "stork", "crane", "ibis", "egret"];

/** Messages of a person, each the child of the one before. */
function makeRows(words: readonly string[]): JsonObject[] {
  return words.map((word, at) => ({
    type: "message",
    id: word,
    parentId: words[at - 1] ?? null,
    timestamp: "2026-11-01T10:00:00.000Z",
    message: { role: "user", content: [{ type: "text", text: word }], timestamp: at },
  }));
}

/** OpenClaw's own answer to a chat command, as 2026.2 appends it. */
const reply = {
  type: "message",
  id: "reply",
  timestamp: "2026-11-01T10:00:00.000Z",
  message: { role: "assistant", content: [{ type: "text", text: "Compacted" }], stopReason: "injected", timestamp: 9 },
};

/** A transcript from which OpenClaw has cut off so many rows at a time, each time with a copy of what was there. */
function cut(rows: readonly JsonObject[], ...off: readonly number[]): { file: string; left: JsonObject[] } {
  const file = join(newFolder(), "s1.jsonl");
  let left: JsonObject[] = [HEADER, ...rows];
  for (const [at, many] of off.entries()) {
    writeFileSync(`${file}.bak.2026-11-01T10-0${at}-00.000Z`, left.map((row) => `${JSON.stringify(row)}\n`).join(""));
    left = left.slice(many);
  }
  return { file, left };
}

/** The rows of the path of the last one, as a run reads them. */
function pathIn(rows: readonly unknown[]): string {
  const { entries } = repairEntries(rows, { sessionId: "s1", cwd: "/" });
  const byId = new Map((entries as JsonObject[]).map((row) => [row.id, row]));
  const path: JsonObject[] = [];
  for (let row = (entries as JsonObject[]).at(-1); row; row = byId.get(row.parentId)) path.push(row);
  return JSON.stringify(path.toReversed());
}

describe("what sessions.compact of OpenClaw 2026.2 has cut off", () => {
  it("stands in words before what is left, also where that begins with a reply of OpenClaw's own, which has no parent", () => {
    const [heron, stork, crane, ibis, egret] = makeRows(WORDS) as [
      JsonObject,
      JsonObject,
      JsonObject,
      JsonObject,
      JsonObject,
    ];
    for (const behind of [
      [ibis, egret],
      [{ ...ibis, parentId: "reply" }, egret],
    ]) {
      const { file, left } = cut([heron, stork, crane, reply, ...behind], 4);
      expect(left[0]).toBe(reply);
      const path = pathIn(withCutBeginning(file, left));
      for (const word of WORDS) expect(path).toContain(word);
    }
  });

  it("stands there too where a conversation was cut off twice with no run between", () => {
    for (const off of [
      [2, 1],
      [3, 1, 1],
    ]) {
      const { file, left } = cut(makeRows(WORDS), ...off);
      const path = pathIn(withCutBeginning(file, left));
      for (const word of WORDS) expect(path).toContain(word);
    }
  });

  it("is nothing of a transcript that nobody has cut off", () => {
    const { file } = cut(makeRows(WORDS), 2);
    const whole = [HEADER, ...makeRows(WORDS)];
    expect(withCutBeginning(file, whole)).toBe(whole);
    expect(withCutBeginning(join(newFolder(), "s1.jsonl"), makeRows(WORDS).slice(2))).toEqual(makeRows(WORDS).slice(2));
  });
});
