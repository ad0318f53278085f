import pg from "pg";
import { Continuity, openPostgresStore } from "../../../src/continuity/index.ts";
import { lastEvent, projectWithTasks } from "./append.ts";
import { toPair, type Pair } from "./pairs.ts";
import { insertQuery, rowsLike } from "./stores.ts";
import { median } from "../measure.ts";

/** Many workflows of one process at once on one PostgreSQL. */
export interface Crowd {
  readonly workflows: number;
  readonly connections: number;
  /** Milliseconds of the whole per append: its inverse is the throughput. */
  readonly pair: Pair;
  /** Milliseconds of one append in the crowd, and of one bare INSERT: [half, ninety-nine in a hundred]. */
  readonly latency: readonly [number, number];
  readonly bareLatency: readonly [number, number];
}

const WORKFLOWS = 100;
const CONNECTIONS = 10;
const EACH = 10;
const ROUNDS = 5;
const WARM_UP = 2;

/**
 * 100 workflows at once: each appends one after the other, against 100 loops of bare INSERTs over as many connections.
 */
export async function measureCrowd(url: string): Promise<Crowd> {
  const store = await openPostgresStore({ connectionString: url, schema: "crowd", connections: CONNECTIONS });
  await (await openPostgresStore({ connectionString: url, schema: "crowd_bare" })).close();
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS, options: "-c search_path=crowd_bare" });
  try {
    const continuity = new Continuity({ store });
    const names = Array.from({ length: WORKFLOWS }, (_, at) => `crowd-${at}`);
    const projects = await Promise.all(names.map((name) => projectWithTasks(continuity, name)));
    const template = await lastEvent(store, projects[0]!.project);
    const appends = projects.map(({ append }) => append);
    const inserts = projects.map(() => rowsLike(template)).map((next) => () => pool.query(insertQuery(next())));
    const rounds: { ms: number; bareMs: number }[] = [];
    const latencies: Record<"own" | "bare", number[]> = { own: [], bare: [] };
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const first = round % 2 === 0 ? await crowd(inserts) : undefined;
      const own = await crowd(appends);
      const bare = first ?? (await crowd(inserts));
      if (round < 0) continue;
      rounds.push({ ms: own.ms, bareMs: bare.ms });
      latencies.own.push(...own.each);
      latencies.bare.push(...bare.each);
    }
    const pair = toPair(`${WORKFLOWS} workflows at once, update_checkpoint`, "PostgreSQL", rounds);
    return {
      workflows: WORKFLOWS,
      connections: CONNECTIONS,
      pair,
      latency: percentiles(latencies.own),
      bareLatency: percentiles(latencies.bare),
    };
  } finally {
    await store.close();
    await pool.end();
  }
}

/** Milliseconds of each call, and of the whole per call. */
async function crowd(
  calls: readonly (() => Promise<unknown>)[],
): Promise<{ readonly ms: number; readonly each: readonly number[] }> {
  const started = performance.now();
  const loops = calls.map(async (call) => {
    const each: number[] = [];
    for (let at = 0; at < EACH; at++) {
      const begun = performance.now();
      await call();
      each.push(performance.now() - begun);
    }
    return each;
  });
  const each = (await Promise.all(loops)).flat();
  return { ms: (performance.now() - started) / each.length, each };
}

function percentiles(values: readonly number[]): readonly [number, number] {
  return [median(values), values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)]!];
}
