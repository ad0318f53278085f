import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../transcript/json/json.ts";
import { withBeginning } from "./beginning.ts";
import type { BoundedContext, LoadedTranscript } from "./loaded.ts";

const HEADER = { type: "session", version: 3, id: "s" };
const size = (row: unknown): number => JSON.stringify(row).length;
const isNote = ({ type }: JsonObject): boolean => type === "custom";

/** A path of messages, of OpenClaw's notes, and of summaries that keep some rows before them. */
const path = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant("message"), size: fc.integer({ min: 1, max: 200 }) }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant("note"), size: fc.integer({ min: 1, max: 2000 }) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("compaction"), size: fc.integer({ min: 0, max: 9 }) }) },
    ),
    { minLength: 3, maxLength: 40 },
  )
  .map((kinds) => {
    const rows: JsonObject[] = [];
    for (const { kind, size: much } of kinds) {
      const base = { id: `r${rows.length}`, parentId: rows.length === 0 ? null : `r${rows.length - 1}` };
      const kept = Math.max(0, rows.length - 1 - much);
      if (kind === "message")
        rows.push({ ...base, type: "message", message: { role: "user", content: "m".repeat(much) } });
      else if (kind === "note")
        rows.push({ ...base, type: "custom", customType: "openclaw.cache-ttl", data: { sent: "n".repeat(much) } });
      else if (rows.length > 0) rows.push({ ...base, type: "compaction", summary: "so", firstKeptEntryId: `r${kept}` });
    }
    return rows;
  })
  .filter((rows) => rows.length > 0);

/** The rows that a model is to see of a path: those that the newest summary keeps, and what came since. */
function visibleRows(rows: readonly JsonObject[]): JsonObject[] {
  const boundary = rows.findLast(({ type }) => type === "compaction");
  return rows.slice(boundary ? rows.findIndex(({ id }) => id === boundary.firstKeptEntryId) : 0);
}

/** Selects rows as OpenClaw 2026.9 does: the newest ones up to a size, and the newest summary in any case. */
function select(rows: readonly JsonObject[], most: number): LoadedTranscript {
  const within = visibleRows(rows);
  let had = 0;
  let from = within.length;
  while (from > 0 && had + size(within[from - 1]) <= most) had += size(within[--from]);
  const selected = within.slice(from);
  const boundary = rows.findLast(({ type }) => type === "compaction");
  const isInjected = boundary !== undefined && !selected.includes(boundary);
  const listed = isInjected ? [boundary, ...selected] : selected;
  const [first] = selected;
  const ranges: BoundedContext["firstKeptRanges"] = new Map();
  if (boundary) {
    const at = listed.indexOf(boundary);
    ranges.set(String(boundary.id), { startIndex: 1, endIndex: at + 1 });
  }
  return {
    entries: [HEADER, ...listed],
    sessionId: "s",
    readAll: () => [HEADER, ...rows],
    bounded: {
      parents: new Map(listed.map(({ id, parentId }) => [id as string, parentId as string | null])),
      opaqueParents: new Map(isInjected && first ? [[String(first.parentId), String(boundary.id)]] : []),
      activeLeafEntryId: String(rows.at(-1)!.id),
      firstKeptRanges: ranges,
      truncated: from > 0,
    },
  };
}

const idsIn = (rows: readonly unknown[]): unknown[] => rows.map((row) => (row as JsonObject).id);
const messagesIn = (rows: readonly unknown[]): unknown[] =>
  rows.filter((row) => (row as JsonObject).type === "message");

describe("a conversation of which OpenClaw reads the newest rows up to a size", () => {
  const cases = fc.tuple(path, fc.integer({ min: 300, max: 6000 }));

  it("is whole where its messages have the room that OpenClaw's notes took", () => {
    fc.assert(
      fc.property(cases, ([rows, most]) => {
        const loaded = select(rows, most);
        const next = withBeginning(loaded);
        const room = loaded.entries
          .filter((row) => isNote(row as JsonObject))
          .reduce<number>((all, row) => all + size((row as JsonObject).data), 0);
        const missing = visibleRows(rows).filter((row) => !loaded.entries.includes(row));
        const needed = missing.reduce((all, row) => all + size(isNote(row) ? { ...row, data: {} } : row), 0);
        const had = loaded.entries.reduce<number>((all, row) => all + size(row), 0);
        if (loaded.bounded!.truncated !== true || room < had * 0.05) expect(next).toBe(loaded);
        else if (loaded.entries.length > 2 && needed <= room) {
          expect(next.bounded!.truncated).toBe(false);
          expect(messagesIn(next.entries)).toEqual(messagesIn(visibleRows(rows)));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("has its rows once and in order, and all that OpenClaw has read; a summary keeps what stands there of it", () => {
    fc.assert(
      fc.property(cases, ([rows, most]) => {
        const loaded = select(rows, most);
        const next = withBeginning(loaded);
        const ids = idsIn(next.entries);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toEqual(expect.arrayContaining(idsIn(loaded.entries)));
        const said = idsIn(messagesIn(next.entries));
        expect(said).toEqual(idsIn(messagesIn(rows)).filter((id) => said.includes(id)));
        for (const [id, { startIndex, endIndex }] of next.bounded!.firstKeptRanges) {
          expect(ids[endIndex]).toBe(id);
          const boundary = rows.find((row) => row.id === id)!;
          const from = rows.findIndex((row) => row.id === boundary.firstKeptEntryId);
          const kept = idsIn(rows.slice(from, rows.indexOf(boundary))).filter(
            (one) => ids.indexOf(one) < endIndex && ids.includes(one),
          );
          expect(ids.slice(startIndex, endIndex)).toEqual(kept);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("holds no more than OpenClaw has read, and is the same when it is read again", () => {
    fc.assert(
      fc.property(cases, ([rows, most]) => {
        const loaded = select(rows, most);
        const next = withBeginning(loaded);
        const without = (list: readonly unknown[]): number =>
          list.reduce<number>(
            (all, row) => all + size(isNote(row as JsonObject) ? { ...(row as JsonObject), data: {} } : row),
            0,
          );
        const had = loaded.entries.reduce<number>((all, row) => all + size(row), 0);
        expect(without(next.entries)).toBeLessThanOrEqual(had + 60);
        expect(withBeginning(loaded)).toEqual(next);
      }),
      { numRuns: 500 },
    );
  });
});
