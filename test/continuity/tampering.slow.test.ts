import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { canonicalText, sha256 } from "../../src/continuity/base/json.ts";
import { kinds } from "./places.ts";
import {
  readColumn,
  expectClosed,
  type Ledger,
  ledgerIn,
  type Table,
  withChangedByte,
  withStatements,
  keyed,
} from "./tampered.ts";

const runs = { numRuns: Number(process.env["CONTINUITY_RUNS"] ?? 12) };
const EVENT_COLUMNS = [
  "event_id",
  "workflow_id",
  "event_seq",
  "event_type",
  "payload",
  "timestamp",
  "schema_version",
  "producer_version",
  "checksum",
] as const;
const SNAPSHOT_COLUMNS = [
  "snapshot_id",
  "step_number",
  "last_event_seq",
  "state_inline",
  "state_checksum",
  "created_at",
] as const;
const COMPLETION_COLUMNS = [
  "workflow_id",
  "step_id",
  "attempt_id",
  "completed_at",
  "result_snapshot_ref",
  "result_checksum",
] as const;
const byte = fc.record({ at: fc.nat(), mask: fc.integer({ min: 1, max: 255 }) });

for (const { skip, title, place } of kinds()) {
  describe.skipIf(skip)(`tampering on ${title}`, () => {
    /** Without snapshots, so that a restore reads every event; and with them. */
    let [whole, snapped]: [Ledger, Ledger] = [undefined!, undefined!];
    beforeAll(async () => {
      whole = await ledgerIn(await place(), { everyEvents: 1000 });
      snapped = await ledgerIn(await place(), { everyEvents: 4 });
    });

    const expectNamed = async (ledger: Ledger, message: RegExp, where: string): Promise<void> => {
      const damages = await ledger.damages();
      expect(damages, message.source).toContainEqual({ place: where, message: expect.stringMatching(message) });
    };

    it("finds nothing where nothing was changed", async () => {
      for (const ledger of [whole, snapped]) expect(await ledger.damages()).toEqual([]);
      expect([
        await whole.store.snapshots(whole.workflow_id),
        (await snapped.store.snapshots(snapped.workflow_id)).length,
      ]).toEqual([[], 3]);
    });

    for (const column of EVENT_COLUMNS) {
      it(`names the event of which a byte of ${column} was changed, and no restore passes over it`, async () => {
        const seen = { changes: 0 };
        // PostgreSQL accepts few changed bytes of a timestamp: a short series may have none.
        for (let series = 0; seen.changes === 0 && series < 10; series += 1)
          await fc.assert(
            fc.asyncProperty(fc.nat(), byte, async (which, spoil) => {
              // A position with another digit is mostly another event's; with another first one of two it is not.
              const [event_seq, at] =
                column === "event_seq"
                  ? [10 + (which % (whole.events - 9)), 0]
                  : [(which % whole.events) + 1, spoil.at];
              const event_id = await readColumn(whole, "events", "event_id", `event_seq = ${event_seq}`);
              const isChanged = await withChangedByte(
                whole,
                { table: "events", column, where: `event_seq = ${event_seq}`, mask: spoil.mask, at },
                async () => {
                  await expectNamed(
                    whole,
                    new RegExp(
                      `event ${event_seq} \\(|${event_id}|position ${event_seq}\\b|to end with event ${whole.events}|found \\d{4}-`,
                    ),
                    "event",
                  );
                  await expectClosed(whole);
                },
              );
              seen.changes += isChanged ? 1 : 0;
            }),
            column === "payload" ? runs : { numRuns: Math.ceil(runs.numRuns / 3) },
          );
        expect(seen.changes).toBeGreaterThan(0);
        expect(await whole.damages(), "all is as it was again").toEqual([]);
      });
    }

    const events: Record<string, (ledger: Ledger) => [statements: string[], named: RegExp]> = {
      "an event taken out of the middle": () => [
        ["DELETE FROM events WHERE event_seq = 5"],
        /position 5; found 6: events are missing/,
      ],
      "the first event taken out": () => [["DELETE FROM events WHERE event_seq = 1"], /position 1; found 2/],
      "the last event cut off": ({ events: last }) => [
        [`DELETE FROM events WHERE event_seq = ${last}`],
        new RegExp(`to end with event ${last} .*it ends with ${last - 1}`),
      ],
      "the last five cut off": ({ events: last }) => [
        [`DELETE FROM events WHERE event_seq > ${last - 5}`],
        new RegExp(`to end with event ${last} .*it ends with ${last - 5}`),
      ],
      "all events taken out": ({ events: last }) => [
        ["DELETE FROM events"],
        new RegExp(`to end with event ${last} .*it ends with 0`),
      ],
      "two events exchanged": () => [
        [
          "UPDATE events SET event_seq = -1 WHERE event_seq = 5",
          "UPDATE events SET event_seq = 5 WHERE event_seq = 6",
          "UPDATE events SET event_seq = 6 WHERE event_seq = -1",
        ],
        /event 5 \(.*a payload with checksum/,
      ],
      "the head put back by one event": ({ events: last }) => [
        [`UPDATE workflows SET last_event_seq = ${last - 1}`],
        new RegExp(`to end with event ${last - 1} .*it ends with ${last}`),
      ],
      "the head put forward": ({ events: last }) => [
        [`UPDATE workflows SET last_event_seq = ${last + 1}`],
        new RegExp(`to end with event ${last + 1} `),
      ],
      "the head's checksum changed": () => [
        ["UPDATE workflows SET head_checksum = substr(head_checksum, 1, 63) || 'x'"],
        /to end with event \d+ \(checksum [0-9a-f]{63}x\)/,
      ],
      "the row of the workflow made anew": () => [
        ["UPDATE workflows SET last_event_seq = 0, head_checksum = NULL"],
        /to end with event 0 /,
      ],
    };
    for (const [name, make] of Object.entries(events)) {
      it(`names ${name}, and no restore passes over it`, async () => {
        const [statements, named] = make(whole);
        await withStatements(whole, ["events", "workflows"], statements, async () => {
          await expectNamed(whole, named, "event");
          await expectClosed(whole);
        });
      });
    }

    it("names an event that was forged with a checksum that fits it", async () => {
      const [row] = await whole.store.eventsAfter(whole.workflow_id, 2, 1);
      const payload = JSON.parse(row!.payload) as { data: { title: string } };
      payload.data.title = "forged";
      const text = canonicalText(payload);
      const cast = whole.place.kind === "postgres" ? "::jsonb" : "";
      await withStatements(
        whole,
        ["events"],
        [
          `UPDATE events SET payload = '${text.replaceAll("'", "''")}'${cast}, checksum = '${sha256(text)}' WHERE event_seq = 3`,
        ],
        async () => {
          await expectNamed(whole, /event 4 \(.*a payload with checksum/, "event");
          await expectClosed(whole);
        },
      );
    });

    it.skipIf(title === "SQLite")(
      "names a time that no event of ours has: with microseconds, or none at all",
      async () => {
        for (const value of ["timestamp + interval '1 microsecond'", "'infinity'"]) {
          await withStatements(
            whole,
            ["events"],
            [`UPDATE events SET timestamp = ${value} WHERE event_seq = 4`],
            async () => {
              await expectNamed(whole, /event 4 .*a payload with checksum/, "event");
              await expectClosed(whole);
            },
          );
        }
      },
    );

    for (const column of SNAPSHOT_COLUMNS) {
      it(`names the snapshot of which a byte of ${column} was changed, and no restore passes over it`, async () => {
        let changes = 0;
        await fc.assert(
          fc.asyncProperty(fc.nat({ max: 2 }), byte, async (which, spoil) => {
            const rows = await snapped.store.snapshots(snapped.workflow_id);
            const { snapshot_id, last_event_seq } = rows[which]!;
            const isChanged = await withChangedByte(
              snapped,
              { table: "snapshots", column, where: `last_event_seq = ${last_event_seq}`, ...spoil },
              async () => {
                await expectNamed(
                  snapped,
                  column === "snapshot_id" || column === "created_at"
                    ? /snapshot|found \d{4}-/
                    : new RegExp(`snapshot ${snapshot_id} of workflow`),
                  "snapshot",
                );
                const latest = await snapped.place.sql(
                  "SELECT state_checksum FROM snapshots ORDER BY last_event_seq DESC LIMIT 1",
                );
                const isRead = which === 2 && latest[0]!["state_checksum"] === rows[2]!.state_checksum;
                if (isRead || (which === 2 && column === "state_checksum")) await expectClosed(snapped);
              },
            );
            changes += isChanged ? 1 : 0;
          }),
          // The database may refuse each of a few random bytes; this one it takes.
          {
            numRuns: column === "state_inline" ? runs.numRuns : Math.ceil(runs.numRuns / 2),
            examples: [[2, { at: 3, mask: 1 }]],
          },
        );
        expect(changes).toBeGreaterThan(0);
      });
    }

    it("goes on from an older snapshot when the latest is gone, and makes snapshots anew from a ledger that is whole", async () => {
      const [state, latest] = [
        await (await snapped.fresh()).state(),
        (await snapped.store.latestSnapshot(snapped.workflow_id))!,
      ];
      await withStatements(
        snapped,
        ["snapshots"],
        [`DELETE FROM snapshots WHERE last_event_seq = ${latest.last_event_seq}`],
        async () => {
          expect(await (await snapped.fresh()).state()).toEqual(state);
        },
      );
      await withStatements(snapped, ["snapshots"], [`UPDATE snapshots SET step_number = 99`], async () => {
        const project = await snapped.fresh();
        await expect(project.state()).rejects.toMatchObject({
          code: "damaged",
          message: expect.stringContaining("--rebuild-snapshots"),
        });
        await project.rebuildSnapshots();
        expect([await project.state(), await snapped.damages()]).toEqual([state, []]);
      });
    });

    it("names an event that a snapshot covers, and does not restore on top of it when it is the snapshot's own", async () => {
      const { last_event_seq } = (await snapped.store.latestSnapshot(snapped.workflow_id))!;
      await withChangedByte(
        snapped,
        { table: "events", column: "checksum", where: "event_seq = 2", at: 3, mask: 1 },
        async () => {
          await expectNamed(snapped, /event 2 \(/, "event");
        },
      );
      const own = {
        table: "events" as const,
        column: "producer_version",
        where: `event_seq = ${last_event_seq}`,
        at: 0,
        mask: 1,
      };
      expect(
        await withChangedByte(snapped, own, async () => {
          await expectNamed(snapped, new RegExp(`event ${last_event_seq} \\(`), "event");
          await expectClosed(snapped);
        }),
      ).toBe(true);
    });

    for (const [table, columns] of [
      ["completed_steps", COMPLETION_COLUMNS],
      ["step_results", ["checksum", "content"]],
    ] as const) {
      for (const column of columns) {
        it(`names the step of whose ${table} row a byte of ${column} was changed, and does not hand out its result`, async () => {
          let changes = 0;
          const { step_id, result_checksum } = (await whole.store.completedSteps(whole.workflow_id))[0]!;
          await fc.assert(
            fc.asyncProperty(byte, async (spoil) => {
              const where = table === "step_results" ? `checksum = '${result_checksum}'` : `step_id = '${step_id}'`;
              const isChanged = await withChangedByte(whole, { table, column, where, ...spoil }, async () => {
                await expectNamed(
                  whole,
                  column === "completed_at"
                    ? /the completion of|found \d{4}-/
                    : new RegExp(`step (?:.*step )?"?${step_id}`),
                  "step",
                );
                if (table === "step_results" || column.startsWith("result_")) {
                  await expect(
                    (await whole.fresh()).runStep(whole.lease, keyed(step_id), async () =>
                      expect.fail("executed again"),
                    ),
                  ).rejects.toMatchObject({ code: "damaged" });
                }
              });
              changes += isChanged ? 1 : 0;
              // The database may refuse each of a few random bytes; this one it takes.
            }),
            { numRuns: Math.ceil(runs.numRuns / 3), examples: [[{ at: 3, mask: 1 }]] },
          );
          expect(changes).toBeGreaterThan(0);
        });
      }
    }

    const rows: Record<string, [table: Table, statement: string, where: string, named: RegExp]> = {
      "a completion taken out": [
        "completed_steps",
        "DELETE FROM completed_steps",
        "step",
        /a row for the completed step .*found none/,
      ],
      "a result taken out": ["step_results", "DELETE FROM step_results", "step", /the result of step .*found nothing/],
      "a lease's token put up": [
        "workflow_leases",
        "UPDATE workflow_leases SET fencing_token = 7",
        "lease",
        /fencing token 1; found 7/,
      ],
      "a lease's token put back": [
        "workflow_leases",
        "UPDATE workflow_leases SET fencing_token = 0",
        "lease",
        /fencing token 1; found 0/,
      ],
      "a lease taken out": ["workflow_leases", "DELETE FROM workflow_leases", "lease", /fencing token 1; found no row/],
    };
    for (const [name, [table, statement, where, named]] of Object.entries(rows)) {
      it(`names ${name}`, async () => {
        await withStatements(whole, [table], [statement], () => expectNamed(whole, named, where));
      });
    }

    it("says that no object storage was configured, and nothing of damage, of what it cannot look at", async () => {
      await withStatements(
        whole,
        ["completed_steps"],
        ["UPDATE completed_steps SET result_snapshot_ref = 'object:somewhere'"],
        async () => {
          await expect((await whole.fresh()).verify()).rejects.toMatchObject({ code: "no-object-storage" });
        },
      );
    });
  });
}
