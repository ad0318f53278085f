import {
  chownSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { removeProjects } from "../../../src/continuity/removal.ts";
import {
  Continuity,
  type ContinuityOptions,
  type ContinuityStore,
  openPostgresStore,
  openSqliteStore,
  type Project,
  type Restoration,
} from "../../../src/continuity/index.ts";
import { NOBODY } from "../../../harness/nobody.ts";
import { newFolder } from "../../../harness/temporary.ts";
import { injected } from "../injected.ts";
import { kinds, type Kind } from "../places.ts";

const [, postgres] = kinds() as [Kind, Kind];
const PAY = { step_id: "pay", step_type: "non_idempotent", idempotency_key: "invoice-1" } as const;

/** A folder of a machine with a store, as it is when no process has it open. */
class Machine {
  readonly folder = newFolder();
  readonly file = join(this.folder, "work.sqlite");
  readonly anchor = `${this.file}.anchor`;

  async with<Value>(
    work: (project: Project, continuity: Continuity, store: ContinuityStore) => Promise<Value>,
    options: Partial<ContinuityOptions> = {},
  ): Promise<Value> {
    const store = openSqliteStore({ file: this.file });
    const continuity = new Continuity({ store, ...options });
    try {
      return await work(await continuity.project("shop"), continuity, store);
    } finally {
      await continuity.close();
    }
  }

  copy(name: string): void {
    copyFileSync(this.file, join(this.folder, name));
  }

  putBack(name: string): void {
    copyFileSync(join(this.folder, name), this.file);
  }

  /** Goes on from the older copy that is there, as a person decides: by a backup of it. */
  async goOn(): Promise<Restoration> {
    const file = join(newFolder(), "copy.jsonl");
    await this.with((_, continuity) => continuity.backup({ file, acceptLoss: true }));
    for (const end of ["", "-wal", "-shm"]) rmSync(this.file + end, { force: true });
    const store = openSqliteStore({ file: this.file });
    const restoration = await new Continuity({ store }).restore({ file, acceptLoss: true });
    await store.close();
    return restoration;
  }

  readonly pay = async (project: Project): Promise<boolean> => {
    const lease = await project.acquireLease({ owner_id: "till" });
    const { executed } = await project.runStep(lease, PAY, async () => "paid");
    await lease.release();
    return executed;
  };
}

async function paidAfterCopy(): Promise<Machine> {
  const machine = new Machine();
  await machine.with(async (project) => project.createGoal({ text: "sell" }));
  machine.copy("copy");
  await machine.with(machine.pay);
  machine.putBack("copy");
  return machine;
}

describe("an older copy of a SQLite store", () => {
  it("does not pay again: nothing is read from it for work, or written to it, and the refusal says what to do", async () => {
    const machine = await paidAfterCopy();
    for (const work of [
      (project: Project) => project.getNextStep(),
      (project: Project) => project.createGoal({ text: "g" }),
      machine.pay,
    ])
      await expect(machine.with<unknown>(work)).rejects.toMatchObject({
        code: "older-copy",
        message: expect.stringMatching(
          /ends with event 1: this is an older copy, without the last 4 events.*continuity backup --accept-loss/s,
        ),
      });
    await machine.with(async (project) => {
      const { damages, events } = await project.verify();
      expect([events, damages.map(({ place }) => place)]).toEqual([1, ["copy"]]);
    });
  });

  it("is noticed too by a process that knew the newer one, when its rows are those of before", async () => {
    const machine = new Machine();
    await machine.with(async (project) => {
      await project.createGoal({ text: "sell" });
      await machine.pay(project);
      const outside = new DatabaseSync(machine.file);
      outside.exec("DELETE FROM completed_steps; DELETE FROM step_attempts; DELETE FROM workflow_leases");
      outside.exec("DELETE FROM events WHERE event_seq > 1");
      outside.exec("UPDATE workflows SET last_event_seq = 1, head_checksum = (SELECT checksum FROM events)");
      outside.close();
      await expect(machine.pay(project)).rejects.toMatchObject({ code: "older-copy" });
    });
  });

  it("is noticed by a process that knows just what the copy has", async () => {
    const machine = new Machine();
    await machine.with(async (project) => {
      await project.createGoal({ text: "sell" });
      await machine.with(machine.pay);
      const outside = new DatabaseSync(machine.file);
      outside.exec("DELETE FROM completed_steps; DELETE FROM step_attempts; DELETE FROM workflow_leases");
      outside.exec("DELETE FROM events WHERE event_seq > 1");
      outside.exec("UPDATE workflows SET last_event_seq = 1, head_checksum = (SELECT checksum FROM events)");
      outside.close();
      for (const work of [() => project.createGoal({ text: "g" }), () => machine.pay(project), () => project.state()])
        await expect(work()).rejects.toMatchObject({ code: "older-copy" });
      expect((await project.verify()).events).toBe(1);
    });
  });

  it("is not backed up: its backup could take the place of a newer one", async () => {
    const machine = await paidAfterCopy();
    const file = join(machine.folder, "backup.jsonl");
    writeFileSync(file, "a newer backup");
    await expect(machine.with((_, continuity) => continuity.backup({ file, replace: true }))).rejects.toMatchObject({
      code: "older-copy",
    });
    rmSync(machine.file);
    const store = openSqliteStore({ file: machine.file });
    await expect(new Continuity({ store }).backup({ file, replace: true })).rejects.toMatchObject({
      code: "older-copy",
      message: expect.stringMatching(/no project with workflow id/),
    });
    await store.close();
    expect(readFileSync(file, "utf8")).toBe("a newer backup");
  });

  it("that went on by itself is another ledger, and is refused as one", async () => {
    const machine = await paidAfterCopy();
    const store = openSqliteStore({ file: machine.file, anchor: false });
    const project = await new Continuity({ store }).project("shop");
    for (let goal = 0; goal < 7; goal++) await project.createGoal({ text: `g ${goal}` });
    await store.close();
    await expect(machine.with(machine.pay)).rejects.toMatchObject({
      code: "older-copy",
      message: expect.stringMatching(/another event 5: this ledger goes on from an older copy/),
    });
  });

  it("in which the project's rows are gone, or the whole file, is one too", async () => {
    const machine = new Machine();
    await machine.with(machine.pay);
    rmSync(machine.file);
    await expect(machine.with(machine.pay)).rejects.toMatchObject({
      code: "older-copy",
      message: expect.stringMatching(/ends with event 0/),
    });
  });

  it("goes on when a person takes a backup of it and restores that with its loss: no fencing token is given twice", async () => {
    const machine = await paidAfterCopy();
    expect(await machine.goOn()).toMatchObject({ projects: [{ lost: { event_seq: 5 }, event_seq: 2, damages: [] }] });
    await machine.with(async (project) => {
      expect(await project.activeWork()).toMatchObject({ unknown_since: { event_seq: 2 } });
      const lease = await project.acquireLease({ owner_id: "till" });
      expect(lease.fencing_token).toBeGreaterThan(1_000_000);
      await expect(project.runStep(lease, PAY, async () => "paid again")).rejects.toMatchObject({
        code: "step-unknown",
      });
      await lease.release();
      expect((await project.verify()).damages).toEqual([]);
    });
  });

  it("is what a backup is for a store that was lost: restoring it tells which steps may have been done since", async () => {
    const machine = new Machine();
    const file = join(machine.folder, "backup.jsonl");
    await machine.with(async (project, continuity) => {
      const lease = await project.acquireLease({ owner_id: "till" });
      await project.steps.begin(lease, { ...PAY, step_id: "transfer" });
      await continuity.backup({ file });
      await project.steps.complete(lease, { step_id: "transfer", attempt_id: 1 }, "done");
      await project.acquireLease({ owner_id: "other", takeOverFrom: "till" });
    });
    rmSync(machine.file);
    const store = openSqliteStore({ file: machine.file });
    const continuity = new Continuity({ store });
    await expect(continuity.restore({ file })).rejects.toMatchObject({
      code: "older-copy",
      message: expect.stringMatching(
        /event 2 in the backup, and events 3 to 4 are lost; open then, and perhaps done since: transfer;/,
      ),
    });
    expect(await store.workflows()).toEqual([]);
    await expect(continuity.restore({ file, exact: true })).rejects.toMatchObject({ code: "older-copy" });
    const { projects } = await continuity.restore({ file, acceptLoss: true });
    expect(projects).toMatchObject([{ open_steps: ["transfer"], lost: { event_seq: 4 }, damages: [] }]);
    const project = (await continuity.find("shop"))!;
    expect((await project.acquireLease({ owner_id: "till" })).fencing_token).toBeGreaterThan(1_000_001);
    await store.close();
    await machine.with(async (again) => expect((await again.verify()).damages).toEqual([]));
  });

  it("is noticed without an anchor by whoever has noted a position: verify expects it", async () => {
    const machine = await paidAfterCopy();
    const noted = (await machine.with(async (project) => project.verify())).head;
    expect(noted?.event_seq).toBe(1);
    rmSync(machine.anchor);
    await machine.with(async (project) => {
      expect((await project.verify({ expect: noted! })).damages).toEqual([]);
      const expected = { event_seq: 5, checksum: "0".repeat(64) };
      expect((await project.verify({ expect: expected })).damages).toMatchObject([
        {
          place: "copy",
          message: expect.stringMatching(/as it was noted; found the ledger ends with event 1: this is an older copy/),
        },
      ]);
      expect((await project.verify({ expect: { ...expected, event_seq: 1 } })).damages).toMatchObject([
        { place: "copy", message: expect.stringMatching(/found another event 1/) },
      ]);
      await expect(project.verify({ expect: { event_seq: 1, checksum: "x" } })).rejects.toMatchObject({
        code: "bad-input",
      });
    });
  });
});

describe("an anchor", () => {
  it("is a text that its owner only can read, with a line of 256 bytes for each ledger, and names no project", async () => {
    const machine = new Machine();
    await machine.with(async (project, continuity) => {
      await project.createGoal({ text: "g" });
      await (await continuity.project("another")).acquireLease({ owner_id: "o" });
    });
    expect(statSync(machine.anchor).mode & 0o777).toBe(0o600);
    const text = readFileSync(machine.anchor, "utf8");
    const lines = text.split("\n");
    expect(lines.slice(0, -1).map((line) => line.length)).toEqual([255, 255, 255]);
    expect(text).not.toMatch(/shop|another/);
    expect(text).toMatch(/^[0-9a-f-]{36} 0{15}1 [0-9a-f]{64} 0{15}1 [0-9a-f]{16} *$/m);
  });

  it("that is behind, cut, edited, removed or moved away stops nobody, and is right again with the next event", async () => {
    const machine = new Machine();
    await machine.with(machine.pay);
    const whole = readFileSync(machine.anchor, "utf8");
    const spoiled = {
      removed: undefined,
      empty: "",
      "without its content, after a power cut": "\0".repeat(512),
      "of before": whole.replace(/ 0{15}\d/, " 0000000000000000"),
      cut: whole.slice(0, 400),
      edited: whole.replace(/0(?= [0-9a-f]{64})/, "9"),
    };
    for (const [name, text] of Object.entries(spoiled)) {
      if (text === undefined) renameSync(machine.anchor, `${machine.anchor}.away`);
      else writeFileSync(machine.anchor, text);
      await machine.with(async (project) => {
        await project.createGoal({ text: name });
        expect((await project.verify()).damages, name).toEqual([]);
      });
      machine.copy("now");
      await machine.with(machine.pay);
      machine.putBack("now");
      await expect(machine.with(machine.pay), name).rejects.toMatchObject({ code: "older-copy" });
      await machine.goOn();
    }
  });

  it.skipIf(process.getuid?.() !== 0)("that root's command has made belongs to the owner of the folder", async () => {
    const machine = new Machine();
    chownSync(machine.folder, NOBODY, NOBODY);
    await machine.with(machine.pay);
    expect(statSync(machine.anchor).uid).toBe(NOBODY);
  });

  it("is the same by whatever link the store is opened, and moves with it", async () => {
    const machine = new Machine();
    const link = join(machine.folder, "link.sqlite");
    await machine.with(machine.pay);
    symlinkSync(machine.file, link);
    const linked = openSqliteStore({ file: link });
    await (await new Continuity({ store: linked }).project("shop")).createGoal({ text: "g" });
    await linked.close();
    expect(existsSync(`${link}.anchor`)).toBe(false);
    expect(readFileSync(machine.anchor, "utf8")).toMatch(/ 0{15}5 /);
  });

  it("that is another program's file is not changed, and the store is refused", async () => {
    const machine = new Machine();
    writeFileSync(machine.anchor, "mine");
    await expect(machine.with(machine.pay)).rejects.toMatchObject({ code: "foreign" });
    expect(readFileSync(machine.anchor, "utf8")).toBe("mine");
  });

  it("that cannot be written fails no command, and is warned of once", async () => {
    const machine = new Machine();
    const warnings: string[] = [];
    const place = join(machine.folder, "nowhere", "anchor");
    const store = openSqliteStore({ file: machine.file, anchor: { file: place }, warn: (one) => warnings.push(one) });
    const project = await new Continuity({ store }).project("shop");
    await project.createGoal({ text: "g" });
    await project.createGoal({ text: "h" });
    await store.close();
    expect(warnings).toEqual([
      expect.stringMatching(/cannot be noted in .*anchor: no such file.*would not be noticed/),
    ]);
  });

  it("forgets a project that is removed, also one whose rows were lost before, so that it can begin anew", async () => {
    const machine = new Machine();
    await machine.with(machine.pay);
    await removeProjects({ file: machine.file }, ["shop"]);
    expect(await machine.with(machine.pay)).toBe(true);
    rmSync(machine.file);
    await openSqliteStore({ file: machine.file }).close();
    await removeProjects({ file: machine.file }, ["shop"]);
    expect(await machine.with(machine.pay)).toBe(true);
    expect((await machine.with(async (project) => project.verify())).damages).toEqual([]);
  });

  it("is never ahead of the ledger while processes write to it and others open it", async () => {
    const machine = new Machine();
    const stores = [1, 2, 3].map(() => openSqliteStore({ file: machine.file }));
    const writing = stores.slice(0, 2).map(async (store, nth) => {
      const continuity = new Continuity({ store });
      for (let goal = 0; goal < 40; goal++)
        await (await continuity.project(`p${goal % 3}`)).createGoal({ text: `${nth}/${goal}` });
    });
    const opening = (async () => {
      for (let time = 0; time < 30; time++)
        for (const name of ["p0", "p1", "p2"])
          await (await new Continuity({ store: stores[2]!, ...injected() }).find(name))?.state();
    })();
    await Promise.all([...writing, opening]);
    for (const store of stores) await store.close();
    expect(readFileSync(machine.anchor, "utf8").trimEnd().split("\n").length).toBeGreaterThanOrEqual(4);
  });
});

describe.skipIf(postgres.skip)("an anchor of a PostgreSQL store", () => {
  it("is in a file that an option names: an older dump of the database is noticed", async () => {
    const spot = await postgres.place();
    const folder = newFolder();
    const anchor = { file: join(folder, "anchor") };
    const open = async (): Promise<ContinuityStore> =>
      openPostgresStore({ ...(spot.options as { connectionString: string; schema: string }), anchor });
    const store = await open();
    const project = await new Continuity({ store }).project("shop");
    await project.createGoal({ text: "sell" });
    for (const table of ["events", "workflows"]) await spot.sql(`CREATE TABLE kept_${table} AS SELECT * FROM ${table}`);
    await project.createGoal({ text: "more" });
    await store.close();
    for (const table of ["events", "workflows"]) {
      await spot.sql(`DELETE FROM ${table}`);
      await spot.sql(`INSERT INTO ${table} SELECT * FROM kept_${table}`);
    }
    const again = await open();
    const old = await new Continuity({ store: again }).project("shop");
    await expect(old.createGoal({ text: "g" })).rejects.toMatchObject({ code: "older-copy" });
    await again.close();
  });
});
