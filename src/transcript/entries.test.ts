import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isTreeRow, repairEachEntry, repairEntries } from "./entries.ts";

const header = { type: "session", version: 3, id: "s1", timestamp: "2026-02-05T00:00:00.000Z", cwd: "/w" };
const row = (id: string, parentId: string | null, text = id) => ({
  type: "message",
  id,
  parentId,
  message: { role: "user", content: text },
});
const FALLBACK = { sessionId: "from-file-name", cwd: "/home" };

/** Texts of the path from the first message to the last row: what OpenClaw loads. */
function path(rows: readonly unknown[]): unknown[] {
  const tree = rows.filter(isTreeRow);
  const byId = new Map(tree.map((entry) => [entry.id, entry]));
  const texts: unknown[] = [];
  for (let at = tree.at(-1); at; at = byId.get(at.parentId))
    texts.unshift((at.message as { content?: unknown } | undefined)?.content ?? at.type);
  return texts;
}

describe("rows of a stored session", () => {
  const sound = [header, row("a", null), row("b", "a"), row("c", "b")];

  it("come back as the same object when they are sound", () => {
    expect(repairEntries(sound, FALLBACK)).toEqual({ entries: sound, violations: [] });
    expect(repairEntries(sound, FALLBACK).entries).toBe(sound);
  });

  it("a reply that OpenClaw has appended without a parent is damage only where it cuts a history off", () => {
    const reply = { type: "message", id: "r", message: { role: "assistant", stopReason: "injected", content: [] } };
    const beside = [...sound.slice(0, 3), reply, row("c", "b")];
    expect(repairEntries(beside, FALLBACK).entries).toBe(beside);
    expect(repairEntries([...beside, row("d", "lost")], FALLBACK).entries).toContain(reply);
    expect(path(repairEntries([...beside, row("d", "lost")], FALLBACK).entries)).toEqual(["a", "b", "c", "d"]);
    for (const cutting of [
      [...sound, reply],
      [...sound, reply, row("d", "r")],
    ])
      expect(repairEntries(cutting, FALLBACK).violations).toEqual(["unknown_parent"]);
  });

  it("a row behind several that have one id continues the newest, and none that is only stored twice", () => {
    const behind = [
      header,
      row("x", null, "a"),
      row("x", null, "b"),
      row("x", null, "c"),
      row("y", "x"),
      row("z", "y"),
    ];
    expect(path(repairEntries(behind, FALLBACK).entries)).toEqual(["a", "b", "c", "y", "z"]);
    const twice = [header, row("x", null, "a"), row("y", "x"), row("y", "x"), row("z", "y")];
    expect(path(repairEntries(twice, FALLBACK).entries)).toEqual(["a", "y", "z"]);
  });

  it.each<[string, unknown[], string]>([
    ["no header (openclaw#89037)", sound.slice(1), "missing_header"],
    ["the header in second place", [sound[1], header, ...sound.slice(2)], "misplaced_header"],
    ["an old header", [{ ...header, version: 1 }, ...sound.slice(1)], "old_header"],
    ["a row that is no record", [header, null, ...sound.slice(1)], "foreign_row"],
    [
      "a parent that does not exist (openclaw#64287)",
      [header, row("a", null), row("b", "a"), row("c", "gone")],
      "unknown_parent",
    ],
    ["rows in reverse order", [header, ...sound.slice(1).toReversed()], "child_before_parent"],
    [
      "the same id in every row",
      [header, row("x", null, "a"), row("x", "x", "b"), row("x", "x", "c")],
      "duplicate_entry_id",
    ],
    [
      "rows without ids",
      [header, ...["a", "b", "c"].map((text) => ({ type: "message", message: { role: "user", content: text } }))],
      "missing_entry_id",
    ],
    [
      "a row without its message",
      [header, row("a", null), { type: "message", id: "m", parentId: "a" }, row("b", "m"), row("c", "b")],
      "unreadable_message",
    ],
    ["bare messages", [header, ...["a", "b", "c"].map((content) => ({ role: "user", content }))], "foreign_row"],
  ])("with %s load with all their messages", (_what, rows, violation) => {
    const { entries, violations } = repairEntries(rows, FALLBACK);
    expect(violations).toContain(violation);
    expect(entries[0]).toMatchObject({ type: "session", version: 3 });
    expect(
      path(entries)
        .flat()
        .filter((text) => ["a", "b", "c"].includes(String(text))),
    ).toEqual(["a", "b", "c"]);
    expect(repairEntries(entries, FALLBACK)).toEqual({ entries, violations: [] });
  });

  it("of version 1 have no fault but the old header: they have neither ids nor parents by design", () => {
    const { version: _none, ...first } = header;
    const rows = [first, ...["a", "b"].map((content) => ({ type: "message", message: { role: "user", content } }))];
    expect(repairEntries(rows, FALLBACK).violations).toEqual(["old_header"]);
    expect(repairEntries([{ ...first, version: 1 }, ...rows.slice(1)], FALLBACK).violations).toEqual(["old_header"]);
    expect(repairEntries([first, row("a", "gone")], FALLBACK).violations).toEqual(["old_header", "unknown_parent"]);
  });

  it("take the session's id from the file when no header says it", () => {
    expect(repairEntries([row("a", null)], FALLBACK).entries[0]).toMatchObject({ id: "from-file-name", cwd: "/home" });
  });

  it("do not loop when parents go in a circle", () => {
    const { entries, violations } = repairEntries([header, row("a", "c"), row("b", "a"), row("c", "b")], FALLBACK);
    expect(violations).toContain("unknown_parent");
    expect(path(entries)).toEqual(["a", "b", "c"]);
  });

  it("of any kind become sound, deterministically, and stay so", () => {
    const anyRow = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.record(
        {
          type: fc.constantFrom("message", "session", "compaction", "leaf", "custom", "other"),
          id: fc.oneof(fc.constantFrom("a", "b", "c", ""), fc.jsonValue({ maxDepth: 0 })),
          parentId: fc.oneof(fc.constantFrom("a", "b", "c", null), fc.jsonValue({ maxDepth: 0 })),
          message: fc.jsonValue({ maxDepth: 2 }),
          firstKeptEntryIndex: fc.nat(4),
        },
        { requiredKeys: ["type"] },
      ),
    );
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 10 }), (rows) => {
        const { entries } = repairEntries(rows, FALLBACK);
        expect(repairEntries(entries, FALLBACK).violations).toEqual([]);
        expect(JSON.stringify(repairEntries(structuredClone(rows), FALLBACK).entries)).toBe(JSON.stringify(entries));
      }),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 800) },
    );
  });
});

describe("the short cut for rows that are well", () => {
  it("finds the same as the long way, for any rows that nearly are", () => {
    const damage = fc.constantFrom<object>(
      { id: "e1" },
      { id: "" },
      { id: 7 },
      { parentId: "nowhere" },
      { parentId: undefined },
      { parentId: null },
      { parentId: "e3" },
      { type: "leaf" },
      { type: "other" },
      { type: "session" },
      { type: 1 },
      { message: { role: 5 } },
      { type: "compaction", firstKeptEntryIndex: 2 },
      { version: 1 },
      { version: "3" },
    );
    const length = fc.integer({ min: 1, max: 6 });
    fc.assert(
      fc.property(length, fc.array(fc.tuple(fc.nat(6), damage), { maxLength: 2 }), (rows, damages) => {
        const chain: Record<string, unknown>[] = Array.from({ length: rows }, (_, at) => ({
          type: "message",
          id: `e${at}`,
          parentId: at === 0 ? null : `e${at - 1}`,
          message: { role: "user", content: `text ${at}` },
        }));
        const all = [{ type: "session", version: 3, id: "s" } as Record<string, unknown>, ...chain];
        for (const [at, change] of damages) Object.assign(all[at] ?? {}, change);
        expect(repairEntries(all, FALLBACK)).toEqual(repairEachEntry(all, FALLBACK));
      }),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 800) },
    );
  });
});

describe("a session of 20,000 rows without ids", () => {
  it("is put together in one walk", () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => ({
      type: "message",
      message: { role: "user", content: `text ${at}` },
    }));
    const { entries } = repairEntries(rows, FALLBACK);
    expect(path(entries)).toHaveLength(20_000);
    expect(repairEntries(entries, FALLBACK).violations).toEqual([]);
  });
});
