import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { Continuity, type ContinuityStore, openPostgresStore, openSqliteStore } from "../../src/continuity/index.ts";
import { isGone, LeaseKeeper, processOwner } from "../../src/continuity-tools/index.ts";
import { type PrivatePostgres, startPostgres, whyNoPostgres } from "../../harness/postgres.ts";

const HOLDER = fileURLToPath(new URL("continuity-holder.ts", import.meta.url));
const STEP = { step_id: "pay", step_type: "idempotent" } as const;
const HOUR_MS = 60 * 60 * 1000;

const children: ChildProcess[] = [];

/** A real process that begins a step under its lease and holds it. */
async function holder(store: object): Promise<{ owner_id: string; kill: () => Promise<void> }> {
  const child = fork(HOLDER, [JSON.stringify(store)], { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  children.push(child);
  const [owner_id] = (await once(child, "message")) as [string];
  return {
    owner_id,
    kill: async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

describe.each(["SQLite", "PostgreSQL"])("a lease in %s whose process was killed", (kind) => {
  const isSkipped = kind === "PostgreSQL" && whyNoPostgres() !== undefined;
  let folder: string;
  let server: PrivatePostgres | undefined;
  let place: { readonly file: string } | { readonly connectionString: string };
  beforeAll(async () => {
    folder = newFolder();
    if (kind === "PostgreSQL" && !isSkipped) server = await startPostgres();
    place = server ? { connectionString: server.url } : { file: join(folder, "work.sqlite") };
  });
  afterAll(async () => {
    await server?.stop();
  });
  const open = async (): Promise<ContinuityStore> =>
    "file" in place ? openSqliteStore(place) : openPostgresStore(place);

  it.skipIf(isSkipped)("is taken over at once, not an hour later, and never while that process lives", async () => {
    const continuity = new Continuity({ store: await open() });
    const project = await continuity.project("p");
    const { owner_id, kill } = await holder({ ...place, ttlMs: HOUR_MS });
    const leases = new LeaseKeeper({ isGone });
    expect(isGone(owner_id)).toBe(false);
    await expect(leases.begin(project, STEP)).rejects.toThrow(
      /expected the lease of project p to be free; found it is .* until /,
    );
    await kill();
    expect(isGone(owner_id)).toBe(true);
    // One that asks for no take-over waits still.
    await expect(new LeaseKeeper({ owner_id: "another" }).begin(project, STEP)).rejects.toMatchObject({
      code: "lease-held",
    });
    const { lease, start } = await leases.begin(project, STEP);
    expect(start).toMatchObject({ status: "run", attempt_id: 2, earlier_attempts: 1 });
    expect(lease.fencing_token).toBe(2);
    await leases.releaseAll();
    expect((await project.verify()).damages).toEqual([]);
    await continuity.close();
  });

  it.skipIf(isSkipped)(
    "is not taken over from an owner that has changed since: of two that find it, one gets it",
    async () => {
      const continuity = new Continuity({ store: await open() });
      const project = await continuity.project("two");
      await project.acquireLease({ owner_id: "gone", ttlMs: HOUR_MS });
      const first = await project.acquireLease({ owner_id: "first", ttlMs: HOUR_MS, takeOverFrom: "gone" });
      await expect(
        project.acquireLease({ owner_id: "second", ttlMs: HOUR_MS, takeOverFrom: "gone" }),
      ).rejects.toMatchObject({ code: "lease-held" });
      await first.heartbeat();
      await continuity.close();
    },
  );
});

it.each([
  ["a process of another machine", "elsewhere/1/1/aa"],
  ["a process that lives", processOwner()],
  [
    "the same process id in another container of this name",
    processOwner()
      .replace(/#\d+/, "#1")
      .replace(/^(?!.*#1\/)/, "other-"),
  ],
  ["an owner that says nothing of its process", "worker-7"],
  ["a host name without a process", hostname()],
])("the lease of %s is left alone", (_, owner_id) => {
  expect(isGone(owner_id)).toBe(false);
});

it("the lease of the process before this one, with the same id, is known to be over: in a container a gateway gets the same id at each start", () => {
  expect(isGone(processOwner().replace(/[0-9a-f]+$/, "0"))).toBe(true);
});
