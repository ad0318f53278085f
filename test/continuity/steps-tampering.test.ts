import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { ContinuityError, type StepRequest } from "../../src/continuity/index.ts";
import { kinds } from "./places.ts";
import { keyed, type Ledger, ledgerIn, type Table, TABLES, withStatements } from "./tampered.ts";

const RUNS = Number(process.env["CONTINUITY_RUNS"] ?? 10);

/** The columns by which a table's rows are told apart. */
const KEYS: Readonly<Record<Table, readonly string[]>> = {
  events: ["event_id"],
  workflows: ["workflow_id"],
  workflow_leases: ["workflow_id"],
  snapshots: ["snapshot_id"],
  step_attempts: ["workflow_id", "step_id", "attempt_id"],
  completed_steps: ["workflow_id", "step_id"],
  step_results: ["checksum"],
};

/** What beginning a step came to: its answer, or the refusal. */
type Answer =
  | { readonly code: string }
  | { readonly result: unknown; readonly executed: boolean; readonly attempt: number };

for (const { kind, skip, title, place } of kinds()) {
  describe.skipIf(skip)(`steps on ${title} when rows were changed from outside`, () => {
    /** Without snapshots, and with them. */
    let ledgers: readonly Ledger[] = [];
    let requests: StepRequest[] = [];

    beforeAll(async () => {
      ledgers = [
        await ledgerIn(await place(), { everyEvents: 1000 }),
        await ledgerIn(await place(), { everyEvents: 4 }),
      ];
      const completed = await ledgers[0]!.store.completedSteps(ledgers[0]!.workflow_id);
      requests = [
        ...completed.map(({ step_id }) => keyed(step_id)),
        // By its key alone.
        { ...keyed(completed[0]!.step_id), step_id: "under another name" },
        keyed("given up"),
        { step_id: "that fails", step_type: "pure" },
        { step_id: "left open", step_type: "idempotent" },
        { step_id: "a new step", step_type: "pure" },
      ];
    });

    /** Begins a step as a process that starts now. */
    async function begun(ledger: Ledger, request: StepRequest): Promise<Answer> {
      let attempt = 0;
      try {
        const project = await ledger.fresh();
        const outcome = await project.runStep(ledger.lease, request, async ({ attempt_id }) => {
          attempt = attempt_id;
          return "executed";
        });
        return { ...outcome, attempt };
      } catch (error) {
        if (!(error instanceof ContinuityError)) throw error;
        return { code: error.code };
      }
    }

    /** Begins every step, and puts everything back. */
    async function answers(ledger: Ledger, statements: readonly string[]): Promise<Answer[]> {
      const found: Answer[] = [];
      await withStatements(ledger, TABLES, statements, async () => {
        for (const request of requests) found.push(await begun(ledger, request));
      });
      return found;
    }

    const named: Record<string, (step_id: string, other: string) => readonly string[]> = {
      "its completion taken out": (step) => [`DELETE FROM completed_steps WHERE step_id = '${step}'`],
      "its attempt taken out": (step) => [`DELETE FROM step_attempts WHERE step_id = '${step}'`],
      "its attempt and its completion taken out": (step) => [
        `DELETE FROM completed_steps WHERE step_id = '${step}'`,
        `DELETE FROM step_attempts WHERE step_id = '${step}'`,
      ],
      "its completion exchanged for another step's": (step, other) =>
        ["result_snapshot_ref", "result_checksum", "completed_at"].map(
          (column) =>
            `UPDATE completed_steps SET ${column} = (SELECT ${column} FROM kept_completed_steps WHERE step_id = '${other}') WHERE step_id = '${step}'`,
        ),
      "the event of its completion taken out": (step) => [
        `DELETE FROM events WHERE event_type = 'step_completed' AND CAST(payload AS TEXT) LIKE '%${step}%'`,
      ],
      "all rows and events of it taken out": (step) => [
        `DELETE FROM completed_steps WHERE step_id = '${step}'`,
        `DELETE FROM step_attempts WHERE step_id = '${step}'`,
        `DELETE FROM events WHERE event_type LIKE 'step_%' AND CAST(payload AS TEXT) LIKE '%${step}%'`,
      ],
      "its attempt's number changed": (step) => [`UPDATE step_attempts SET attempt_id = 7 WHERE step_id = '${step}'`],
      "another type of its attempt": (step) => [
        `UPDATE step_attempts SET step_type = 'pure' WHERE step_id = '${step}'`,
      ],
      "another token of its attempt": (step) => [
        `UPDATE step_attempts SET fencing_token = 9 WHERE step_id = '${step}'`,
      ],
    };
    for (const [name, statements] of Object.entries(named)) {
      it(`do not run again, and give no other result, with ${name}: refused, and verify names it`, async () => {
        for (const ledger of ledgers) {
          const [step, other] = requests.map(({ step_id }) => step_id);
          await withStatements(ledger, TABLES, statements(step!, other!), async () => {
            let ran = false;
            const again = (await ledger.fresh()).runStep(ledger.lease, requests[0]!, async () => (ran = true));
            await expect(again).rejects.toMatchObject({
              code: "damaged",
              message: expect.stringMatching(/continuity verify|continuity restore/),
            });
            expect(ran).toBe(false);
            expect((await ledger.damages()).length).toBeGreaterThan(0);
          });
        }
      });
    }

    it("keep their attempts, each as the ledger has it: verify names one that is missing, altered or added", async () => {
      const [ledger] = ledgers;
      const copy = (changes: string): string =>
        `INSERT INTO step_attempts (workflow_id, step_id, attempt_id, started_at, fencing_token, step_type, idempotency_key, input_checksum) SELECT workflow_id, ${changes}, started_at, fencing_token, step_type, idempotency_key, input_checksum FROM kept_step_attempts WHERE step_id = 'that fails'`;
      for (const [statement, message] of [
        ["DELETE FROM step_attempts WHERE step_id = 'that fails'", /the begun step "that fails" .*found none/],
        [copy("'that fails', 2"), /attempt 2\) .*a row without an event/],
        [copy("'never begun', 1"), /"never begun" .*a row without an event/],
        ["UPDATE step_attempts SET fencing_token = 0 WHERE step_id = 'that fails'", /fencing_token 0 instead of 1/],
        ["UPDATE step_attempts SET input_checksum = 'x' WHERE step_id = 'that fails'", /input_checksum "x" instead of/],
      ] as const)
        await withStatements(ledger!, TABLES, [statement], async () => {
          expect(await ledger!.damages(), statement).toContainEqual({
            place: "step",
            message: expect.stringMatching(message),
          });
        });
    });

    it("give what the untouched store gives or nothing, whichever single row is taken out, exchanged or altered", async () => {
      const untouched = await Promise.all(ledgers.map((ledger) => answers(ledger, [])));
      expect(untouched[0]!.map((one) => ("executed" in one ? one.executed : one.code))).toEqual([
        false,
        false,
        false,
        false,
        "step-abandoned",
        true,
        "step-open",
        true,
      ]);
      await fc.assert(
        fc.asyncProperty(
          fc.nat({ max: ledgers.length - 1 }),
          fc.oneof(fc.constantFrom(...TABLES), fc.constantFrom<Table>("events", "completed_steps", "step_attempts")),
          fc.record({ row: fc.nat(), other: fc.nat(), column: fc.nat(), how: fc.nat() }),
          async (which, table, pick) => {
            const ledger = ledgers[which]!;
            const statements = await manipulation(ledger, table, pick);
            let found;
            try {
              found = await answers(ledger, statements);
            } catch (error) {
              // What the database itself refuses cannot be manipulated that way: another is drawn.
              const { code } = error as { code?: unknown };
              fc.pre(code !== "ERR_SQLITE_ERROR" && !(typeof code === "string" && /^(?:2[23]|42)/.test(code)));
              throw error;
            }
            for (const [index, answer] of found.entries())
              if (!("code" in answer)) expect(answer, statements.join("; ")).toEqual(untouched[which]![index]);
          },
        ),
        { numRuns: RUNS },
      );
    });

    /** Statements that change one row of a table, or exchange what two rows say. */
    async function manipulation(
      { place: { sql } }: Ledger,
      table: Table,
      { row, other, column, how }: { row: number; other: number; column: number; how: number },
    ): Promise<string[]> {
      const [first] = await sql(`SELECT * FROM kept_${table} LIMIT 1`);
      const rows = Number((await sql(`SELECT count(*) AS n FROM kept_${table}`))[0]!["n"]);
      const names = Object.keys(first ?? { none: 0 });
      const keys = KEYS[table];
      const kept = (name: string, at: number): string =>
        `(SELECT ${name} FROM kept_${table} ORDER BY ${keys.join(", ")} LIMIT 1 OFFSET ${at % Math.max(1, rows)})`;
      const where = (at: number): string => keys.map((key) => `${key} = ${kept(key, at)}`).join(" AND ");
      const name = names[column % names.length]!;
      const altered = [
        "NULL",
        kept(name, other),
        `${name} + 1`,
        `${name} - 1`,
        kind === "sqlite" ? `${name} || 'x'` : `substr(${name}::text, 1, length(${name}::text) - 1)`,
      ];
      switch (how % 7) {
        case 0:
          return [`DELETE FROM ${table} WHERE ${where(row)}`];
        case 1: {
          const said = names.filter((one) => !keys.includes(one));
          const set = (from: number): string => said.map((one) => `${one} = ${kept(one, from)}`).join(", ");
          return [
            `UPDATE ${table} SET ${set(other)} WHERE ${where(row)}`,
            `UPDATE ${table} SET ${set(row)} WHERE ${where(other)}`,
          ];
        }
        default:
          return [`UPDATE ${table} SET ${name} = ${altered[how % altered.length]!} WHERE ${where(row)}`];
      }
    }
  });
}
