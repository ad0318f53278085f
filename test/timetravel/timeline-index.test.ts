/** The index beside OpenClaw's rows: it is never wrong, and what can be made anew is made the same. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { buildActionLog, CARRYOVER_TYPE, History, NodeHashes } from "../../src/timetravel/index.ts";
import { openTimelineIndex, timelineIndexFile, type TimelineIndex } from "../../src/timetravel/timeline-index/index.ts";
import type { JsonObject } from "../../src/transcript/json/json.ts";
import { copyGrown, grown } from "../../harness/arbitrary/grown.ts";

const folder = newFolder();
let file: string;
let nth = 0;
beforeEach(() => {
  file = join(folder, `${nth++}.sqlite`);
});

/** What is kept of a session after all its hashes and actions were asked for. */
const kept = (index: TimelineIndex, entries: readonly JsonObject[], leaf: string | null, session = "s"): unknown => {
  const history = new History(entries, leaf);
  const { hashes, keep } = index.hashes.load(session, history);
  for (const { id } of history.nodes()) expect(hashes.hash(id)).toBe(new NodeHashes(history).hash(id));
  keep();
  index.actions.keep(session, buildActionLog(entries));
  expect(index.actions.list(session)).toEqual(buildActionLog(entries));
  return [index.hashes.list(session), index.actions.list(session)];
};
const rewritten = (entry: JsonObject, text: string): JsonObject => ({
  ...entry,
  message: { ...(entry.message as JsonObject), content: [{ type: "text", text }] },
});

describe("kept and rebuilt", () => {
  test("whatever was appended, rewritten, cut off or hung elsewhere since, the index that was kept is the one that is rebuilt, and every hash is right", () => {
    const change = fc.record({ kind: fc.constantFrom("append", "rewrite", "cut", "rehang"), at: fc.nat(1000) });
    fc.assert(
      fc.property(grown, fc.nat(), fc.array(change, { maxLength: 3 }), ({ entries, leaf }, first, changes) => {
        const index = openTimelineIndex(":memory:");
        try {
          const history = new History(entries, leaf);
          // Only a part was asked for at first.
          const { hashes, keep } = index.hashes.load("s", history);
          hashes.hash(history.nodes()[first % history.nodes().length]!.id);
          keep();
          let now: JsonObject[] = entries;
          let end = leaf;
          for (const { kind, at } of changes) {
            const chosen = at % now.length;
            if (kind === "append") {
              end = `n${now.length}`;
              now = [
                ...now,
                {
                  type: "custom_message",
                  id: end,
                  parentId: now[chosen]!.id,
                  customType: CARRYOVER_TYPE,
                  content: "…",
                  details: { intentId: end, departureId: leaf, targetId: null, by: "agent" },
                },
              ];
            } else if (kind === "rewrite")
              now = now.map((entry, i) =>
                i === chosen && entry.type === "message" ? rewritten(entry, `[redacted ${at}]`) : entry,
              );
            else if (kind === "cut") {
              now = now.slice(0, Math.max(1, chosen));
              end = now.at(-1)!.id as string;
            } else now = now.map((entry, i) => (i === chosen ? { ...entry, parentId: null } : entry));
            kept(index, now, end);
          }
          const before = kept(index, now, end);
          index.drop();
          expect(index.hashes.list("s")).toEqual([]);
          expect(kept(index, now, end)).toEqual(before);
        } finally {
          index.close();
        }
      }),
      { numRuns: 60 },
    );
  });

  test("a hash that is there already is not worked out again, and only what was asked for is kept", () => {
    fc.assert(
      fc.property(grown, ({ entries, leaf }) => {
        const index = openTimelineIndex(":memory:");
        const history = new History(entries, leaf);
        const asked = index.hashes.load("s", history);
        asked.hashes.hash(history.headId);
        asked.keep();
        expect(
          index.hashes
            .list("s")
            .map(({ event_id }) => event_id)
            .toSorted(),
        ).toEqual(
          history
            .path()
            .map(({ id }) => id)
            .toSorted(),
        );
        index.close();
      }),
      { numRuns: 20 },
    );
    // A hash that nothing could be made of shows where it came from.
    const index = openTimelineIndex(file);
    const entries = [{ type: "message", id: "u1", parentId: null, message: { role: "user", content: "hello" } }];
    kept(index, entries, "u1");
    index.close();
    const database = new DatabaseSync(file);
    database.exec("UPDATE nodes SET hash = 'kept'");
    database.close();
    const again = openTimelineIndex(file);
    expect(again.hashes.load("s", new History(entries, "u1")).hashes.hash("u1")).toBe("kept");
    expect(again.hashes.load("s", new History([rewritten(entries[0]!, "hello!")], "u1")).hashes.hash("u1")).toMatch(
      /^[\da-f]{64}$/,
    );
    again.close();
  });
});

describe("names", () => {
  const scope = { sessionId: "s", sessionKey: "agent:main:main" };

  test("a name stands by its place in a copy of the session under other ids, and by no other place", () => {
    fc.assert(
      fc.property(grown, fc.nat(), (session, chosen) => {
        const index = openTimelineIndex(":memory:");
        try {
          const history = new History(session.entries, session.leaf);
          const { id } = history.nodes()[chosen % history.nodes().length]!;
          const { hashes, keep } = index.hashes.load("s", history);
          index.references.set(scope, "good", { id, hash: hashes.hash(id)! });
          keep();
          const copy = copyGrown(session);
          const other = new History(copy.entries, copy.leaf);
          const copied = index.hashes.load("copy", other);
          const found = index.references.resolve({ ...scope, sessionId: "copy" }, "good", other, copied.hashes)!;
          expect(copied.hashes.hash(found)).toBe(hashes.hash(id));
          copied.hashes.hash(other.headId);
          copied.keep();
          expect(index.hashes.places(hashes.hash(id)!)).toContainEqual({ session_id: "s", event_id: id });
          // Another conversation has names of its own.
          expect(
            index.references.resolve({ sessionId: "x", sessionKey: "agent:main:other" }, "good", other, copied.hashes),
          ).toBeUndefined();
        } finally {
          index.close();
        }
      }),
      { numRuns: 40 },
    );
  });

  test("where the place is gone or says something else now, it is refused with what is there, and never taken for another", () => {
    const index = openTimelineIndex(":memory:");
    const entries = [
      { type: "message", id: "u1", parentId: null, message: { role: "user", content: "hello" } },
      { type: "message", id: "a1", parentId: "u1", message: { role: "assistant", content: [] } },
    ];
    const history = new History(entries, "a1");
    index.references.set(scope, "good", { id: "a1", hash: new NodeHashes(history).hash("a1")! });
    const changed = new History([rewritten(entries[0]!, "[redacted]"), entries[1]!], "a1");
    expect(() => index.references.resolve(scope, "good", changed, new NodeHashes(changed))).toThrow(
      /expected the place that was named good, with the hash [\da-f]{64}; found entry a1 with the hash [\da-f]{64}: what was said up to there was changed/,
    );
    const other = new History([entries[0]!], "u1");
    expect(() => index.references.resolve(scope, "good", other, new NodeHashes(other))).toThrow(
      "found no entry with this hash",
    );
    expect(index.references.resolve(scope, "unknown", other, new NodeHashes(other))).toBeUndefined();
    index.close();
  });

  test.each(["", "@head", "@x", "HEAD", "root", "undo", "17", "a b", "a:b", "-x", "x".repeat(65), "a\u202e", "words"])(
    "%j is no name",
    (name) => {
      const index = openTimelineIndex(":memory:");
      expect(() => index.references.set(scope, name, { id: "u1", hash: "0" })).toThrow(
        expect.objectContaining({ code: "bad-name" }),
      );
      expect(index.references.list(scope)).toEqual([]);
      index.close();
    },
  );

  test("are moved, listed and taken away, and outlive what can be made anew", () => {
    const index = openTimelineIndex(":memory:");
    index.references.set(scope, "b", { id: "u1", hash: "0" }, 1);
    index.references.set(scope, "a/1", { id: "u1", hash: "0" }, 2);
    index.references.set(scope, "b", { id: "u2", hash: "1" }, 3);
    index.drop();
    expect(index.references.list(scope).map(({ name, eventId }) => [name, eventId])).toEqual([
      ["a/1", "u1"],
      ["b", "u2"],
    ]);
    expect([index.references.delete(scope, "b"), index.references.delete(scope, "b")]).toEqual([true, false]);
    index.close();
  });
});

describe("the file", () => {
  test("is its owner's only, and lies beside the journal under a name of its own", () => {
    openTimelineIndex(file).close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(timelineIndexFile("/state")).toBe(join("/state", "openclaw-integrity-timeline.sqlite"));
    openTimelineIndex(file, { readOnly: true }).close();
  });

  test.each([
    [
      "another program's",
      (path: string) => {
        const db = new DatabaseSync(path);
        db.exec("CREATE TABLE mine (x)");
        db.close();
      },
      "foreign",
      "a timeline index of openclaw-integrity, or no file",
    ],
    [
      "a later version's",
      (path: string) => {
        openTimelineIndex(path).close();
        const db = new DatabaseSync(path);
        db.exec("PRAGMA user_version = 99");
        db.close();
      },
      "newer",
      "found version 99",
    ],
    [
      "garbage",
      (path: string) => writeFileSync(path, "no database at all, by no means whatever it is".repeat(100)),
      "damaged",
      "a timeline index that can be read and written",
    ],
    [
      "one whose tables were taken away",
      (path: string) => {
        openTimelineIndex(path).close();
        const db = new DatabaseSync(path);
        db.exec("DROP TABLE nodes");
        db.close();
      },
      "damaged",
      "no such table: nodes",
    ],
  ])("%s is refused and left as it is", (_, make, code, words) => {
    make(file);
    const before = readFileSync(file);
    expect(() => openTimelineIndex(file)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(words) }),
    );
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("that is not there is not made by looking", () => {
    expect(() => openTimelineIndex(file, { readOnly: true })).toThrow(expect.objectContaining({ code: "missing" }));
    expect(existsSync(file)).toBe(false);
  });
});
