import { join } from "node:path";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { contentHash } from "./content-hash.ts";
import {
  type Checkpoint,
  type CycleResult,
  type Journal,
  openJournal,
  type Operation,
  type ToolCycle,
} from "./index.ts";
import { newFolder } from "../../harness/temporary.ts";

const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 50);
const SESSIONS = ["one", "two", "ünïcode 😀", ""];

type Incident = { sessionId?: string; kind: string; details: Record<string, unknown> };

/** What the journal is held against: lists in memory, in the order in which things were written down. */
class Oracle {
  now = 0;
  cycles: ToolCycle[] = [];
  checkpoints: Checkpoint[] = [];
  incidents: Incident[] = [];
  /** Cycles and checkpoints that were ever made, also those that are gone. */
  cycleIds: number[] = [];
  checkpointIds: string[] = [];

  isOpen(cycle: ToolCycle | undefined): cycle is ToolCycle {
    return cycle !== undefined && cycle.closedAt === undefined;
  }

  snapshot(): Oracle {
    return Object.assign(new Oracle(), structuredClone({ ...this }));
  }
}

interface Real {
  file: string;
  journal: Journal;
  oracle: Oracle;
}

/** Opens the file, with the oracle's clock. */
function open(real: Real): void {
  real.journal = openJournal(real.file, { now: () => real.oracle.now });
}

type Step = (real: Real) => void;

const cycleAt = ({ oracle }: Real, at: number): number =>
  oracle.cycleIds[at % Math.max(1, oracle.cycleIds.length)] ?? 4711;
const checkpointAt = ({ oracle }: Real, at: number): string =>
  oracle.checkpointIds[at % Math.max(1, oracle.checkpointIds.length)] ?? "none";
const found = <Item extends { id: unknown }>(items: readonly Item[], id: Item["id"]): Item | undefined =>
  items.find((item) => item.id === id);

function pending(
  calls: readonly { sessionId: string; callId: string; toolName: string; checkpointAt: number | undefined }[],
): Step {
  return (real) => {
    const made = calls.map(({ checkpointAt: at, ...call }) => ({
      ...call,
      inputHash: "h",
      ...(at !== undefined && { checkpointId: checkpointAt(real, at) }),
    }));
    const ids = real.journal.cycles.pending(made);
    expect(ids.length).toBe(made.length);
    for (const [at, call] of made.entries())
      real.oracle.cycles.push({ id: ids[at]!, ...call, state: "pending", pendingAt: real.oracle.now });
    real.oracle.cycleIds.push(...ids);
  };
}

function start(at: number): Step {
  return (real) => {
    const cycle = found(real.oracle.cycles, cycleAt(real, at));
    const can = cycle?.state === "pending";
    expect(real.journal.cycles.start(cycleAt(real, at))).toBe(can);
    if (can) Object.assign(cycle, { state: "executing", startedAt: real.oracle.now });
  };
}

function record(at: number, result: CycleResult): Step {
  return (real) => {
    const cycle = found(real.oracle.cycles, cycleAt(real, at));
    const can = real.oracle.isOpen(cycle);
    expect(real.journal.cycles.record(cycleAt(real, at), result)).toBe(can);
    if (can)
      Object.assign(cycle, {
        state: "recording",
        finishedAt: real.oracle.now,
        result: JSON.parse(JSON.stringify(result)) as CycleResult,
      });
  };
}

function closeCycles(state: "committed" | "rolled_back", places: readonly number[]): Step {
  return (real) => {
    const ids = places.map((at) => cycleAt(real, at));
    if (state === "committed") real.journal.cycles.commit(ids);
    else real.journal.cycles.rollBack(ids);
    for (const id of ids) {
      const cycle = found(real.oracle.cycles, id);
      if (!real.oracle.isOpen(cycle)) continue;
      delete cycle.result;
      Object.assign(cycle, { state, closedAt: real.oracle.now });
    }
  };
}

function pruneCycles(age: number): Step {
  return ({ journal, oracle }) => {
    const goes = (cycle: ToolCycle): boolean => cycle.closedAt !== undefined && cycle.closedAt < oracle.now - age;
    expect(journal.cycles.prune(oracle.now - age)).toBe(oracle.cycles.filter(goes).length);
    oracle.cycles = oracle.cycles.filter((cycle) => !goes(cycle));
    // An id that is gone may be given again.
    oracle.cycleIds = oracle.cycles.map(({ id }) => id);
  };
}

/** Every call that was not started may have been. */
const doubt: Step = ({ journal, oracle }) => {
  const pendingOnes = oracle.cycles.filter(({ state }) => state === "pending");
  expect(journal.cycles.doubt()).toBe(pendingOnes.length);
  for (const cycle of pendingOnes) Object.assign(cycle, { state: "executing", startedAt: cycle.pendingAt });
};

function checkpoint(one: {
  sessionId: string;
  operation: Operation;
  messageIndex: number;
  leafEntryId: string | null;
  snapshot: unknown[] | undefined;
}): Step {
  return ({ journal, oracle }) => {
    const { snapshot, ...rest } = one;
    const made = journal.checkpoints.create({
      ...rest,
      contentHash: contentHash(snapshot ?? []),
      firstEntryId: null,
      ...(snapshot && { snapshot }),
    });
    expect(made.timestamp).toBe(oracle.now);
    oracle.checkpoints.push(JSON.parse(JSON.stringify(made)) as Checkpoint);
    oracle.checkpointIds.push(made.id);
  };
}

function closeCheckpoint(how: "commit" | "rolledBack", at: number): Step {
  return (real) => {
    const id = checkpointAt(real, at);
    const one = found(real.oracle.checkpoints, id);
    const can =
      one !== undefined && (how === "rolledBack" || (one.committedAt === undefined && one.rolledBackAt === undefined));
    expect(real.journal.checkpoints[how](id)).toBe(can);
    if (can) Object.assign(one, { [how === "commit" ? "committedAt" : "rolledBackAt"]: real.oracle.now });
  };
}

function pruneCheckpoints(sessionId: string, keep: number, operation: Operation | undefined, failed: boolean): Step {
  return ({ journal, oracle }) => {
    const isCandidate = (one: Checkpoint): boolean =>
      one.sessionId === sessionId &&
      (one.committedAt === undefined) === failed &&
      (operation === undefined || one.operation === operation);
    const goes = new Set(
      oracle.checkpoints
        .filter(isCandidate)
        .toReversed()
        .slice(Math.max(0, Number.isNaN(keep) ? 0 : keep))
        .map(({ id }) => id),
    );
    const pruned = failed
      ? journal.checkpoints.pruneFailed(sessionId, keep, operation ?? "manual")
      : journal.checkpoints.prune(sessionId, keep, operation);
    expect(pruned).toBe(goes.size);
    oracle.checkpoints = oracle.checkpoints.filter(({ id }) => !goes.has(id));
  };
}

function pruneRolledBack(sessionId: string, keep: number): Step {
  return ({ journal, oracle }) => {
    const goes = new Set(
      oracle.checkpoints
        .filter((one) => one.sessionId === sessionId && one.rolledBackAt !== undefined)
        .toReversed()
        .slice(keep)
        .map(({ id }) => id),
    );
    expect(journal.checkpoints.pruneRolledBack(sessionId, keep)).toBe(goes.size);
    oracle.checkpoints = oracle.checkpoints.filter(({ id }) => !goes.has(id));
  };
}

function clear(sessionId: string): Step {
  return ({ journal, oracle }) => {
    const kept = oracle.checkpoints.filter((one) => one.sessionId !== sessionId);
    expect(journal.checkpoints.clear(sessionId)).toBe(oracle.checkpoints.length - kept.length);
    oracle.checkpoints = kept;
  };
}

function incident(one: Incident): Step {
  return ({ journal, oracle }) => {
    journal.incidents.log(one);
    oracle.incidents.push(JSON.parse(JSON.stringify(one)) as Incident);
  };
}

/** Steps as one transaction, which fails in the end or does not. */
function together(steps: readonly Step[], fails: boolean): Step {
  return (real) => {
    const before = real.oracle.snapshot();
    const run = (): void =>
      real.journal.transaction(() => {
        for (const step of steps) step(real);
        if (fails) throw new Error("given up");
      });
    if (!fails) return run();
    expect(run).toThrow("given up");
    real.oracle = before;
  };
}

/** The journal is closed, or left as a process leaves it that is killed, and opened again. */
function reopen(closing: boolean): Step {
  return (real) => {
    const { journal } = real;
    if (closing) journal.close();
    open(real);
    if (!closing) journal.close();
  };
}

const later =
  (ms: number): Step =>
  ({ oracle }) =>
    void (oracle.now += ms);

const session = fc.constantFrom(...SESSIONS);
const operation = fc.constantFrom<Operation>("tool_cycle", "compaction", "api_call", "manual");
// Few places, so that one thing is often done to what another was done to.
const place = fc.nat(6);
const text = fc.string({ unit: "binary", maxLength: 12 });
const option = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(value, { nil: undefined });
const result = fc.record({ content: fc.jsonValue(), isError: fc.boolean() });
// Ids are the provider's and OpenClaw's; SQLite's text holds no lone surrogates.
const id = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });

const simple: fc.Arbitrary<Step> = fc.oneof(
  fc
    .array(fc.record({ sessionId: session, callId: id, toolName: id, checkpointAt: option(place) }), { maxLength: 4 })
    .map(pending),
  place.map(start),
  fc.tuple(place, result).map(([at, one]) => record(at, one)),
  fc
    .tuple(fc.constantFrom("committed" as const, "rolled_back" as const), fc.array(place, { maxLength: 3 }))
    .map(([state, places]) => closeCycles(state, places)),
  fc.nat(30).map(pruneCycles),
  fc
    .record({
      sessionId: session,
      operation,
      messageIndex: fc.nat(),
      leafEntryId: fc.option(id),
      snapshot: option(fc.array(fc.oneof(fc.constantFrom("a", "b"), fc.jsonValue()), { maxLength: 5 })),
    })
    .map(checkpoint),
  fc
    .tuple(fc.constantFrom("commit" as const, "rolledBack" as const), place)
    .map(([how, at]) => closeCheckpoint(how, at)),
  fc
    .tuple(
      session,
      fc.oneof(fc.integer({ min: -1, max: 4 }), fc.constantFrom(Number.POSITIVE_INFINITY, Number.NaN)),
      option(operation),
    )
    .map(([one, keep, kind]) => pruneCheckpoints(one, keep, kind, false)),
  fc.tuple(session, fc.nat(3), operation).map(([one, keep, kind]) => pruneCheckpoints(one, keep, kind, true)),
  fc.tuple(session, fc.nat(3)).map(([one, keep]) => pruneRolledBack(one, keep)),
  session.map(clear),
  fc
    .tuple(option(session), id, fc.dictionary(text, fc.jsonValue()))
    .map(([one, kind, details]) => incident({ kind, details, ...(one !== undefined && { sessionId: one }) })),
  fc.constant(doubt),
  fc.nat(20).map(later),
);
const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: simple },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.array(simple, { maxLength: 5 }), fc.boolean())
        .map(([some, fails]) => together(some, fails)),
    },
    { weight: 1, arbitrary: fc.boolean().map(reopen) },
  ),
  { maxLength: 60 },
);

/** Everything that can be asked is as the oracle has it. */
function compare({ journal, oracle }: Real): void {
  for (const sessionId of SESSIONS) {
    expect(journal.cycles.open(sessionId)).toEqual(
      oracle.cycles.filter((cycle) => cycle.sessionId === sessionId && oracle.isOpen(cycle)),
    );
    const checkpoints = oracle.checkpoints.filter((one) => one.sessionId === sessionId);
    const places = checkpoints.map(({ snapshot: _snapshot, ...without }) => without);
    expect(journal.checkpoints.list(sessionId)).toEqual(places);
    expect(journal.checkpoints.getLatest(sessionId)).toEqual(
      places.findLast(({ rolledBackAt }) => rolledBackAt === undefined),
    );
    const incidents = oracle.incidents.filter((one) => one.sessionId === sessionId).toReversed();
    expect(journal.incidents.list({ sessionId, limit: 1000 })).toMatchObject(incidents);
  }
  for (const one of oracle.cycleIds) expect(journal.cycles.get(one)).toEqual(found(oracle.cycles, one));
  for (const one of oracle.checkpointIds) expect(journal.checkpoints.get(one)).toEqual(found(oracle.checkpoints, one));
  expect(journal.incidents.list({ limit: 1000 }).length).toBe(oracle.incidents.length);
}

it("a journal holds in any order of calls, transactions and restarts what plain lists hold", () => {
  const folder = newFolder();
  let run = 0;
  fc.assert(
    fc.property(steps, (taken) => {
      const real = { file: join(folder, `${run++}.sqlite`), oracle: new Oracle() } as Real;
      open(real);
      try {
        for (const step of taken) step(real);
        compare(real);
        reopen(true)(real);
        compare(real);
      } finally {
        real.journal.close();
      }
    }),
    { numRuns: RUNS },
  );
});
