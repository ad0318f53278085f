/**
 * A worker that takes over from a killed one: start it twice, kill -9 the one that works, and the other goes on with the
 * same step within seconds. Run: node examples/worker.ts [database file]
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  Continuity,
  ContinuityError,
  isGone,
  type Lease,
  openSqliteStore,
  processOwner,
} from "openclaw-integrity/continuity";

const file = process.argv[2] ?? join(tmpdir(), "worker-example.sqlite");
const continuity = new Continuity({ store: openSqliteStore({ file }) });
const project = await continuity.project("reports");
const pages = ["title", "chapter-1", "chapter-2", "index"];

for (;;) {
  const lease = await leaseOrNothing();
  if (!lease) {
    await sleep(500); // another worker is at work
    continue;
  }
  const stop = new AbortController();
  const alive = lease.keepAlive((error) => stop.abort(error)); // another worker has taken over
  try {
    for (const page of pages) {
      stop.signal.throwIfAborted();
      const request = {
        step_id: `render-${page}`,
        step_type: "idempotent",
        timeoutMs: 30_000,
        retries: { attempts: 3, backoffMs: 500 },
      } as const;
      const { result, executed } = await project.runStep(lease, request, ({ signal }) =>
        render(page, AbortSignal.any([signal, stop.signal])),
      );
      console.log(`${process.pid}: ${String(result)}${executed ? "" : ", as an earlier worker did"}`);
    }
    await lease.release();
    break;
  } catch (error) {
    // The lease is lost: what was not committed is dropped, and this worker waits its turn again.
    if (!(error instanceof ContinuityError && ["fenced", "lease-expired"].includes(error.code))) throw error;
  } finally {
    alive.stop();
  }
}
await continuity.close();

/** At once also after a kill -9 on this machine; from another machine when the lease's 30 seconds are over. */
async function leaseOrNothing(): Promise<Lease | undefined> {
  try {
    return await project.acquireLease({ owner_id: processOwner(), isGone });
  } catch (error) {
    if (error instanceof ContinuityError && error.code === "lease-held") return undefined;
    throw error;
  }
}

/** Stands for work that can be repeated without harm. */
async function render(page: string, signal: AbortSignal): Promise<string> {
  await sleep(200, undefined, { signal });
  return `${page} is rendered`;
}
