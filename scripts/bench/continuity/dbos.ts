import { Continuity, openPostgresStore } from "../../../src/continuity/index.ts";
import { type Call, measurePair, type Pair } from "./pairs.ts";

/** Steps of one process on one server; or why there is no such measurement. */
export interface EngineComparison {
  readonly pairs: readonly Pair[];
  readonly left_out?: string;
}

const SIZE = { rounds: 15, calls: 20 } as const;
const ignore = (): void => undefined;

/**
 * A step of the kernel, `runStep` under a lease, against a step of DBOS: a DBOS.runStep in one workflow that goes on for
 * ever. Turn and turn about, on the same PostgreSQL.
 */
export async function measureDbos(url: string | undefined): Promise<EngineComparison> {
  if (url === undefined) return { pairs: [], left_out: "there is no PostgreSQL" };
  const sdk = await import("@dbos-inc/dbos-sdk").catch(() => undefined);
  if (!sdk) return { pairs: [], left_out: "@dbos-inc/dbos-sdk is not installed" };
  const { DBOS } = sdk;
  const store = await openPostgresStore({ connectionString: url, schema: "against_dbos" });
  // One call at a time is handed to the workflow, which makes a step of it and hands back that it is done.
  let next: { readonly done: (value?: unknown) => void; readonly isLast: boolean } | undefined;
  let wake = ignore;
  const hand = (isLast: boolean): Promise<unknown> =>
    new Promise((done) => {
      next = { done, isLast };
      wake();
    });
  const loop = DBOS.registerWorkflow(
    async () => {
      for (;;) {
        if (!next) await new Promise<void>((resolve) => (wake = resolve));
        const { done, isLast } = next!;
        next = undefined;
        if (!isLast) await DBOS.runStep(async () => ({ ok: true }), { name: "step" });
        done();
        if (isLast) return;
      }
    },
    { name: "bench" },
  );
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: url,
    logger: { info: ignore, debug: ignore, warn: ignore, error: ignore },
  });
  await DBOS.launch();
  try {
    const project = await new Continuity({ store }).project("steps");
    const lease = await project.acquireLease({ owner_id: "bench", ttlMs: 60 * 60_000 });
    let count = 0;
    const ours =
      (recordBegin: boolean): Call =>
      () =>
        project.runStep(lease, { step_id: `step-${++count}`, step_type: "idempotent", recordBegin }, async () => ({
          ok: true,
        }));
    const handle = await DBOS.startWorkflow(loop)();
    const pairs = [
      await measurePair("runStep: begin and result recorded", "PostgreSQL", ours(true), () => hand(false), SIZE),
      await measurePair("runStep with recordBegin: false", "PostgreSQL", ours(false), () => hand(false), SIZE),
    ];
    await hand(true);
    await handle.getResult();
    return { pairs };
  } finally {
    await DBOS.shutdown();
    await store.close();
  }
}

/** The comparison as rows of a table, its head first; empty when there is none. */
export function engineRows({ pairs }: EngineComparison): string[][] {
  if (pairs.length === 0) return [];
  return [
    ["step", "per second", "of DBOS per second", "ratio"],
    ...pairs.map(({ name, ms, bareMs, ratio }) => [name, perSecond(ms), perSecond(bareMs), (1 / ratio).toFixed(2)]),
  ];
}

/** The comparison in words. */
export function engineVerdicts({ pairs, left_out }: EngineComparison): string[] {
  if (left_out !== undefined) return [`steps are not measured against DBOS: ${left_out}`];
  return pairs.map(
    ({ name, ratio }) => `${name}: ${(1 / ratio).toFixed(2)} times as many steps per second as DBOS on the same server`,
  );
}

function perSecond(milliseconds: number): string {
  return Math.round(1000 / milliseconds).toLocaleString("en-US");
}
