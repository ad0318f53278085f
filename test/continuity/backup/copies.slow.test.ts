import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  Continuity,
  ContinuityError,
  type ContinuityStore,
  openPostgresStore,
  openSqliteStore,
  type Verification,
} from "../../../src/continuity/index.ts";
import { newFolder } from "../../../harness/temporary.ts";
import { kinds, type Place } from "../places.ts";
import { TABLES } from "../tampered.ts";

const RUNS = Number(process.env["CONTINUITY_RUNS"] ?? 15);
const STEPS = 3;
const COPIES = 2;
/** A row of one table that is removed must not reach rows of others: as whoever tampers does, without foreign keys. */
const ORDER = [...TABLES].toReversed();

/** What tells rows apart in the tables that have no rowid. */
const KEYED: Partial<Record<(typeof TABLES)[number], string>> = {
  step_attempts: "(workflow_id || '/' || step_id || '/' || attempt_id)",
  completed_steps: "(workflow_id || '/' || step_id)",
};

type Action =
  | { readonly do: "pay"; readonly step: number; readonly knows: boolean }
  | { readonly do: "note" }
  | { readonly do: "copy"; readonly copy: number }
  | { readonly do: "put back"; readonly copy: number; readonly anchor: "left" | "copied" | "removed" }
  | {
      readonly do: "tamper";
      readonly table: number;
      readonly row: number;
      readonly other: number;
      readonly how: number;
    };

const actions = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant("pay" as const), step: fc.nat({ max: STEPS - 1 }), knows: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("note" as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("copy" as const), copy: fc.nat({ max: COPIES - 1 }) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("put back" as const),
        copy: fc.nat({ max: COPIES - 1 }),
        anchor: fc.constantFrom("left" as const, "left" as const, "copied" as const, "removed" as const),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("tamper" as const),
        table: fc.nat(),
        row: fc.nat(),
        other: fc.nat(),
        how: fc.nat(),
      }),
    },
  ),
  { minLength: 4, maxLength: 14 },
);

/** An older copy is put back beside the anchor as it was left: the next payment is refused. */
const REFUSED: Action[] = [
  { do: "copy", copy: 0 },
  { do: "pay", step: 0, knows: false },
  { do: "put back", copy: 0, anchor: "left" },
  { do: "pay", step: 0, knows: false },
];

/** A store with an anchor, copies of both, and a bank that counts what it was told to pay. */
class Shop {
  readonly bank = new Map<number, number>();
  readonly #spot: Place;
  readonly #store: ContinuityStore;
  readonly #anchor: string;
  readonly #copies = new Set<number>();
  readonly #known: Continuity;
  /** The newest position that a person has written down. */
  #noted: Verification["head"] = null;
  /** The copy of an anchor was put back with its store, or the anchor was removed: only what was noted shows it. */
  isBlind = false;
  refused = 0;

  constructor(spot: Place, store: ContinuityStore, anchor: string) {
    [this.#spot, this.#store, this.#anchor] = [spot, store, anchor];
    this.#known = new Continuity({ store });
  }

  static async open(spot: Place): Promise<Shop> {
    const anchor = { file: join(newFolder(), "anchor") };
    const { options } = spot;
    const store =
      "file" in options
        ? openSqliteStore({ ...options, anchor })
        : await openPostgresStore({ ...options, anchor, connections: 2 });
    await new Continuity({ store }).project("shop");
    return new Shop(spot, store, anchor.file);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** Pays, unless the step is known to be done; what was refused. `before` is asked before anything is paid. */
  async pay(step: number, knows: boolean, before: () => Promise<void>): Promise<void> {
    const continuity = knows ? this.#known : new Continuity({ store: this.#store });
    try {
      const project = await continuity.project("shop");
      const lease = await project.acquireLease({ owner_id: "till", takeOverFrom: "till" });
      const request = { step_id: `pay ${step}`, step_type: "non_idempotent", idempotency_key: `${step}` } as const;
      await project.runStep(lease, request, async () => {
        await before();
        this.bank.set(step, (this.bank.get(step) ?? 0) + 1);
      });
    } catch (error) {
      if (!(error instanceof ContinuityError)) throw error;
      this.refused += 1;
    }
  }

  /** Writes the position down, unless the one that was written down before is not in the ledger. */
  async note(): Promise<void> {
    const { head, damages } = await this.verified();
    if (damages.length === 0) this.#noted = head ?? this.#noted;
  }

  async verified(): Promise<Pick<Verification, "head" | "damages">> {
    const expected = this.#noted ? { expect: this.#noted } : {};
    try {
      const project = await new Continuity({ store: this.#store }).project("shop");
      return await project.verify({ database: false, ...expected });
    } catch (error) {
      // Without its row in workflows a project is refused as a whole.
      if (!(error instanceof ContinuityError) || error.code !== "damaged") throw error;
      return { head: null, damages: [{ place: "database", message: error.message }] };
    }
  }

  async copy(nth: number): Promise<void> {
    for (const table of TABLES) {
      await this.#spot.sql(`DROP TABLE IF EXISTS copy_${nth}_${table}`);
      await this.#spot.sql(`CREATE TABLE copy_${nth}_${table} AS SELECT * FROM ${table}`);
    }
    rmSync(`${this.#anchor}.${nth}`, { force: true });
    if (existsSync(this.#anchor)) copyFileSync(this.#anchor, `${this.#anchor}.${nth}`);
    this.#copies.add(nth);
  }

  async putBack(nth: number, anchor: "left" | "copied" | "removed"): Promise<void> {
    if (!this.#copies.has(nth)) return;
    for (const table of ORDER) await this.#spot.sql(`DELETE FROM ${table}`);
    for (const table of TABLES) await this.#spot.sql(`INSERT INTO ${table} SELECT * FROM copy_${nth}_${table}`);
    if (anchor === "left") return;
    rmSync(this.#anchor, { force: true });
    if (anchor === "copied" && existsSync(`${this.#anchor}.${nth}`))
      copyFileSync(`${this.#anchor}.${nth}`, this.#anchor);
    this.isBlind = true;
  }

  /** Removes a row, or gives it what another row says. */
  async tamper({ table: nth, row, other, how }: Extract<Action, { do: "tamper" }>): Promise<void> {
    const table = TABLES[nth % TABLES.length]!;
    const isSqlite = this.#spot.kind === "sqlite";
    const id = isSqlite ? (KEYED[table] ?? "rowid") : "ctid";
    const rows = await this.#spot.sql(`SELECT ${isSqlite ? `CAST(${id} AS TEXT)` : "ctid::text"} AS id FROM ${table}`);
    if (rows.length === 0) return;
    const at = (number: number): string => `${id} = '${String(rows[number % rows.length]!["id"])}'`;
    const [first] = await this.#spot.sql(`SELECT * FROM ${table} LIMIT 1`);
    const names = Object.keys(first!);
    const name = names[how % names.length]!;
    const statement =
      how % 3 === 0
        ? `DELETE FROM ${table} WHERE ${at(row)}`
        : `UPDATE ${table} SET ${name} = (SELECT ${name} FROM ${table} WHERE ${at(other)}) WHERE ${at(row)}`;
    // What the database itself refuses cannot be tampered with that way.
    await this.#spot.sql(statement).catch(() => undefined);
  }
}

for (const { skip, title, place } of kinds()) {
  describe.skipIf(skip)(`on ${title}`, () => {
    it("no step is done twice unseen, whatever rows are removed or exchanged and whatever older copies are put back", async () => {
      const seen = { refused: 0, repeated: 0, paid: 0 };
      await fc.assert(
        fc.asyncProperty(actions, async (program) => {
          const shop = await Shop.open(await place());
          try {
            for (const action of program) {
              if (action.do === "note") await shop.note();
              if (action.do === "copy") await shop.copy(action.copy);
              if (action.do === "put back") await shop.putBack(action.copy, action.anchor);
              if (action.do === "tamper") await shop.tamper(action);
              if (action.do !== "pay") continue;
              await shop.pay(action.step, action.knows, async () => {
                if (!shop.bank.has(action.step)) return;
                seen.repeated += 1;
                expect(shop.isBlind, "paid twice although the anchor was as it was left").toBe(true);
              });
              // A person who is careful writes the position down after each payment, and checks it before the next.
              const { damages } = await shop.verified();
              if (Math.max(0, ...shop.bank.values()) > 1)
                expect(
                  damages.some(({ place: where }) => where === "copy" || where === "database"),
                  "paid twice, and verify finds nothing",
                ).toBe(true);
              else if (damages.length === 0) await shop.note();
              if (Math.max(0, ...shop.bank.values()) > 1) break;
            }
            seen.refused += shop.refused;
            seen.paid += shop.bank.size;
          } finally {
            await shop.close();
          }
        }),
        { numRuns: RUNS, examples: [[REFUSED]] },
      );
      expect(seen.refused).toBeGreaterThan(0);
      expect(seen.paid).toBeGreaterThan(0);
      // By chance not among a few programs.
      if (RUNS >= 50) expect(seen.repeated).toBeGreaterThan(0);
    });
  });
}
