import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { openJournal } from "./journal.ts";
import { newFolder } from "../../harness/temporary.ts";

/** In every word that is stored, all over it: the rest of a copy shows too. */
const MARK = "quokka";
const SESSIONS = ["s0", "s1", "s2", "s3"] as const;
const HASH = "0".repeat(64);

/** What is stored: sizes about those at which a row leaves its page. */
const size = fc.constantFrom(3, 30, 150, 500, 670, 1500);
const session = fc.constantFrom(...SESSIONS);
/** What a gateway does: turns with batches of calls, which end in any order. */
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ what: fc.constant("message"), session, size }) },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant("batch"),
      session,
      size,
      calls: fc.integer({ min: 1, max: 3 }),
      withCall: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("checkpoint"), session, size }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant("commit"), left: fc.nat(3), pick: fc.nat(1000) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("settle"), session }) },
);

test("nothing of what was stored is left in the files once it is deleted, whatever was stored beside it", () => {
  const folder = newFolder();
  let runs = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 200, maxLength: 400 }), (steps) => {
      const file = join(folder, `${runs++}.sqlite`);
      const journal = openJournal(file);
      const open: number[] = [];
      for (const [at, one] of steps.entries()) {
        const text = MARK.repeat("size" in one ? one.size : 0);
        if (one.what === "message")
          journal.unanswered.note({
            sessionId: one.session,
            entryId: `e${at}`,
            parentId: null,
            message: { role: "user", content: text },
          });
        else if (one.what === "settle") journal.unanswered.clear(one.session);
        else if (one.what === "checkpoint") {
          const { id } = journal.checkpoints.create({
            sessionId: one.session,
            operation: "manual",
            messageIndex: 1,
            contentHash: HASH,
            firstEntryId: null,
            leafEntryId: null,
            snapshot: [text],
          });
          journal.checkpoints.commit(id);
          journal.checkpoints.prune(one.session, 2);
        } else if (one.what === "commit")
          while (open.length > one.left) journal.cycles.commit(open.splice(one.pick % open.length, 1));
        else {
          const calls = Array.from({ length: one.calls }, (_, nth) => ({
            sessionId: one.session,
            callId: `c${at}-${nth}`,
            toolName: "read",
            inputHash: HASH,
            ...(one.withCall && { call: { text } }),
          }));
          const ids = journal.cycles.pending(calls);
          for (const id of ids) journal.cycles.record(id, { content: text, isError: false });
          open.push(...ids);
        }
      }
      journal.cycles.commit(open);
      for (const one of SESSIONS) journal.unanswered.clear(one);
      for (const one of SESSIONS) journal.checkpoints.clear(one);
      expect(journal.emptyLog()).toBe(true);
      for (const end of ["", "-wal"]) expect(readFileSync(file + end).includes(MARK), end).toBe(false);
      journal.close();
    }),
    { numRuns: 40, endOnFailure: true },
  );
});

test("what was stored is read back as it was", () => {
  const journal = openJournal(":memory:");
  const message = { role: "user", content: [{ type: "text", text: "  two spaces" }] };
  journal.unanswered.note({ sessionId: "s", entryId: "e", parentId: null, message });
  expect(journal.unanswered.list("s").map((one) => one.message)).toEqual([message]);
  journal.close();
});
