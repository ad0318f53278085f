import { statSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { contentHash } from "./content-hash.ts";
import { type Checkpoint, type Journal, openJournal, type Operation } from "./index.ts";

let folder: string;
let journal: Journal;
beforeEach(() => {
  folder = newFolder();
  journal = openJournal(join(folder, "journal.sqlite"));
});
afterEach(() => {
  journal.close();
});

function keep(snapshot: readonly unknown[], { sessionId = "s", operation = "manual" as Operation } = {}): Checkpoint {
  return journal.checkpoints.create({
    sessionId,
    operation,
    messageIndex: snapshot.length,
    contentHash: contentHash(snapshot),
    firstEntryId: null,
    leafEntryId: null,
    snapshot,
  });
}

it("500 checkpoints of a growing history cost what the history holds, not 500 times as much", () => {
  const messages: unknown[] = [];
  const ids: string[] = [];
  for (let at = 0; at < 500; at++) {
    messages.push({ role: at % 2 ? "assistant" : "user", content: `${at} ${"words ".repeat(50)}` });
    ids.push(keep(messages).id);
  }
  journal.emptyLog();
  expect(statSync(journal.file).size).toBeLessThan(8_000_000);
  for (const at of [0, 1, 250, 499])
    expect(journal.checkpoints.get(ids[at]!)?.snapshot).toEqual(messages.slice(0, at + 1));
  expect(journal.checkpoints.list("s").every((one) => one.snapshot === undefined)).toBe(true);
});

it("a copy is whole as long as its checkpoint is there, whatever others were deleted, and nothing is left behind the last one", () => {
  const history = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 6 });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ keep: history, sessionId: fc.constantFrom("s", "t") }) },
    { weight: 1, arbitrary: fc.record({ left: fc.nat(3), sessionId: fc.constantFrom("s", "t") }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const held = new Map<string, readonly unknown[]>();
      for (const one of steps) {
        if ("keep" in one) held.set(keep(one.keep, { sessionId: one.sessionId, operation: "api_call" }).id, one.keep);
        else journal.checkpoints.pruneUnfinished(one.sessionId, one.left);
        const there = [...journal.checkpoints.list("s"), ...journal.checkpoints.list("t")];
        for (const { id } of there) expect(journal.checkpoints.get(id)?.snapshot).toEqual(held.get(id));
      }
      for (const sessionId of ["s", "t"]) journal.checkpoints.clear(sessionId);
      expect(keep(["a"]).snapshot).toEqual(["a"]);
      journal.checkpoints.clear("s");
    }),
    { numRuns: 60 },
  );
});

it("operations that fail again and again leave no more checkpoints than are to be kept; those made by hand and those of open calls stay", () => {
  for (let at = 0; at < 300; at++) keep([], { operation: "api_call" });
  const byHand = keep([]);
  const open = keep([], { operation: "tool_cycle" });
  journal.cycles.pending([{ sessionId: "s", callId: "c", toolName: "read", inputHash: "h", checkpointId: open.id }]);
  for (let at = 0; at < 30; at++) keep([], { operation: "tool_cycle" });
  journal.checkpoints.pruneUnfinished("s", 20);
  const left = journal.checkpoints.list("s").map(({ id }) => id);
  expect(left.length).toBe(22);
  expect(left).toContain(byHand.id);
  expect(left).toContain(open.id);
});
