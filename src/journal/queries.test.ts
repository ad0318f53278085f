import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import {
  openJournal,
  type Checkpoint,
  type Journal,
  type JournalIncident,
  type Operation,
  type ToolCycle,
} from "./index.ts";
import { JournalQueries, openQueries, type Page } from "./queries.ts";

const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 60);
const OPERATIONS: readonly Operation[] = ["tool_cycle", "compaction", "api_call", "manual"];
const SESSIONS = ["a", "b", "c"];

let folder = "";
let file = "";
let journal: Journal;
let queries: JournalQueries | undefined;
let clock = 1000;
beforeEach(() => {
  folder = newFolder();
  file = join(folder, "openclaw-integrity.sqlite");
  clock = 1000;
  // Two rows of one moment are the rule on a fast machine.
  journal = openJournal(file, { now: () => Math.floor(clock++ / 2) });
});
afterEach(async () => {
  await queries?.close();
  queries = undefined;
  journal.close();
});

function ask(): JournalQueries {
  queries ??= openQueries(file);
  return queries;
}

/** All pages of a list, one after the other. */
async function walk<Item>(
  list: (options: { limit: number; after?: number }) => Promise<Page<Item>>,
  limit: number,
): Promise<Item[]> {
  const items: Item[] = [];
  for (
    let after: number | undefined, page: Page<Item> | undefined;
    page === undefined || after !== undefined;
    after = page.next
  ) {
    page = await list({ limit, ...(after !== undefined && { after }) });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    if (page.next !== undefined) expect(page.items.length).toBe(limit);
    items.push(...page.items);
    expect(items.length, "pages without end").toBeLessThan(1000);
  }
  return items;
}

/** Rows of every kind and state. */
function fill(count: number): { cycles: ToolCycle[]; checkpoints: Checkpoint[]; incidents: JournalIncident[] } {
  const cycleIds: number[] = [];
  const checkpointIds: string[] = [];
  for (let at = 0; at < count; at++) {
    const sessionId = SESSIONS[at % 3]!;
    const [id = 0] = journal.cycles.pending([
      { sessionId, callId: `call-${at % 7}`, toolName: at % 2 ? "read" : "exec", inputHash: "h" },
    ]);
    cycleIds.push(id);
    if (at % 5 > 0) journal.cycles.start(id);
    if (at % 5 > 1) journal.cycles.record(id, { content: [{ type: "text", text: `${at}` }], isError: at % 2 === 0 });
    if (at % 5 > 2) journal.cycles.commit([id]);
    const checkpoint = journal.checkpoints.create({
      sessionId,
      operation: OPERATIONS[at % 4]!,
      messageIndex: at,
      contentHash: `${at}`,
      firstEntryId: null,
      leafEntryId: `e${at}`,
      ...(at % 6 === 0 && { snapshot: [{ role: "user" }] }),
    });
    checkpointIds.push(checkpoint.id);
    if (at % 3 === 0) journal.checkpoints.commit(checkpoint.id);
    if (at % 4 === 0) journal.checkpoints.rolledBack(checkpoint.id);
    journal.incidents.log({
      kind: at % 2 ? "content_filter" : "history",
      details: { at },
      ...(at % 3 !== 2 && { sessionId }),
    });
  }
  return {
    cycles: cycleIds.map((id) => journal.cycles.get(id)!).toReversed(),
    checkpoints: checkpointIds
      .map((id) => journal.checkpoints.get(id)!)
      .map(({ snapshot: _snapshot, ...place }) => place)
      .toReversed(),
    incidents: journal.incidents.list({ limit: count }),
  };
}

describe("the lists of a journal", () => {
  it("give the rows that the filter means, each once, whatever the size of a page", async () => {
    const all = fill(40);
    const some = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
      fc.option(value, { nil: undefined });
    const filters = fc.record({
      sessionId: some(fc.constantFrom(...SESSIONS, "unknown")),
      from: some(fc.integer({ min: 490, max: 700 })),
      until: some(fc.integer({ min: 490, max: 700 })),
      toolName: some(fc.constantFrom("read", "exec")),
      callId: some(fc.constantFrom("call-1", "call-6")),
      states: some(fc.subarray(["pending", "executing", "recording", "committed", "rolled_back"] as const)),
      operations: some(fc.subarray([...OPERATIONS])),
      isCommitted: some(fc.boolean()),
      kinds: some(fc.subarray(["content_filter", "history"])),
      limit: fc.integer({ min: 1, max: 50 }),
    });
    await fc.assert(
      fc.asyncProperty(
        filters,
        async ({ sessionId, from, until, limit, toolName, callId, states, operations, isCommitted, kinds }) => {
          const isIn = (row: { sessionId?: string }, time: number): boolean =>
            (sessionId === undefined || row.sessionId === sessionId) &&
            (from === undefined || time >= from) &&
            (until === undefined || time < until);
          const asked = Object.fromEntries(
            Object.entries({ sessionId, from, until }).filter(([, value]) => value !== undefined),
          );
          const cycles = await walk(
            (page) =>
              ask().cycles({
                ...asked,
                ...page,
                ...(states && { states }),
                ...(toolName !== undefined && { toolName }),
                ...(callId !== undefined && { callId }),
              }),
            limit,
          );
          expect(cycles).toEqual(
            all.cycles.filter(
              (cycle) =>
                isIn(cycle, cycle.pendingAt) &&
                (!states || states.includes(cycle.state as never)) &&
                (toolName ?? cycle.toolName) === cycle.toolName &&
                (callId ?? cycle.callId) === cycle.callId,
            ),
          );
          const checkpoints = await walk(
            (page) =>
              ask().checkpoints({
                ...asked,
                ...page,
                ...(operations && { operations }),
                ...(isCommitted !== undefined && { isCommitted }),
              }),
            limit,
          );
          expect(checkpoints).toEqual(
            all.checkpoints.filter(
              (one) =>
                isIn(one, one.timestamp) &&
                (!operations || operations.includes(one.operation)) &&
                (isCommitted ?? one.committedAt !== undefined) === (one.committedAt !== undefined),
            ),
          );
          const incidents = await walk(
            (page) => ask().incidents({ ...asked, ...page, ...(kinds && { kinds }) }),
            limit,
          );
          expect(incidents).toEqual(
            all.incidents.filter((one) => isIn(one, one.at) && (!kinds || kinds.includes(one.kind))),
          );
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("go on where they were although rows were added meanwhile", async () => {
    fill(10);
    const first = await ask().cycles({ limit: 4 });
    fill(5);
    const second = await ask().cycles({ limit: 100, after: first.next! });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it("tell of every session what there is of it", async () => {
    fill(20);
    const summary = await ask().sessions();
    const { cycles } = await ask()
      .cycles({ limit: 1000 })
      .then(({ items }) => ({ cycles: items }));
    expect(summary.map(({ sessionId }) => sessionId).toSorted()).toEqual(SESSIONS);
    expect(summary.find(({ sessionId }) => sessionId === "a")).toMatchObject({
      cycles: 7,
      openCycles: cycles.filter(({ sessionId, closedAt }) => sessionId === "a" && closedAt === undefined).length,
      checkpoints: 7,
      incidents: 7,
    });
    expect(summary.find(({ sessionId }) => sessionId === "c")).toMatchObject({ incidents: 0 });
    expect(summary.map(({ lastAt }) => lastAt)).toEqual(summary.map(({ lastAt }) => lastAt).toSorted((a, b) => b - a));
    expect((await ask().sessions({ limit: 1 })).length).toBe(1);
  });

  it("find a checkpoint by the beginning of its id, and none where two begin so", async () => {
    const { checkpoints } = fill(30);
    const wanted = checkpoints[3]!;
    expect(await ask().checkpoint(wanted.id)).toEqual(wanted);
    expect(await ask().checkpoint(wanted.id.slice(0, 18))).toEqual(wanted);
    expect(await ask().checkpoint("")).toBeUndefined();
    expect(await ask().checkpoint("zzz")).toBeUndefined();
    expect(await ask().checkpoint(`${wanted.id}%`)).toBeUndefined();
  });

  it("answer any other question through kysely, and cannot write", async () => {
    fill(4);
    const { tables } = ask();
    const [row] = await tables
      .selectFrom("tool_cycles")
      .select(({ fn }) => fn.countAll<number>().as("many"))
      .execute();
    expect(row?.many).toBe(4);
    await expect(tables.deleteFrom("tool_cycles").execute()).rejects.toThrow(/readonly/);
    const rows: unknown[] = [];
    for await (const one of tables.selectFrom("incidents").select("kind").stream()) rows.push(one);
    expect(rows.length).toBe(4);
  });
});

describe("a journal that cannot be listed", () => {
  it("says so where there is none, and makes none", () => {
    const nowhere = join(folder, "nowhere.sqlite");
    expect(() => openQueries(nowhere)).toThrow(
      expect.objectContaining({
        code: "missing",
        message: expect.stringMatching(/^expected a journal at .+; found no file\. /),
      }),
    );
    expect(() => readFileSync(nowhere)).toThrow(/ENOENT/);
  });

  it("says what is wrong with it in the words of the journal", async () => {
    writeFileSync(join(folder, "text"), "no database at all");
    expect(() => openQueries(join(folder, "text"))).toThrow(expect.objectContaining({ code: "damaged" }));
    fill(30);
    journal.close();
    const torn = join(folder, "torn");
    copyFileSync(file, torn);
    const bytes = readFileSync(torn);
    // The first page, which says what there is, stays.
    writeFileSync(torn, bytes.fill(0xff, 4096));
    const listed = openQueries(torn);
    await expect(listed.cycles()).rejects.toThrow(expect.objectContaining({ code: "damaged" }));
    await listed.close();
  });
});
