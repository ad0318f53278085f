import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import {
  Continuity,
  type ContinuityStore,
  type Lease,
  openSqliteStore,
  type Project,
} from "../../../src/continuity/index.ts";
import { type EventPayload, eventRow } from "../../../src/continuity/ledger/events.ts";
import { injected, memoryObjects, START } from "../injected.ts";
import { keyed } from "../tampered.ts";
import { kinds, type Kind, type Place } from "../places.ts";

const on = kinds() as [Kind, Kind];
const [sqlite, postgres] = on;
const HOURS = 6;
/** Long enough for a row of its own, and for an object. */
const LONG = "long ".repeat(200);
const hours = (after: number): Date => new Date(START + after * 3_600_000);

let names = 0;

interface World {
  readonly continuity: Continuity;
  readonly store: ContinuityStore;
  readonly project: Project;
  readonly lease: Lease;
  /** Results of the completed steps, by id. */
  readonly results: ReadonlyMap<string, unknown>;
}

/** Work of some hours, with a task and steps in each, and steps that go on or stay open over the hours. */
async function worked(store: ContinuityStore, objects?: ReturnType<typeof memoryObjects>): Promise<World> {
  const clock = injected(`pruned ${++names}`);
  const small = { everyEvents: 7, inlineBytes: 500 };
  const continuity = new Continuity({ store, ...clock, ...(objects && { objects, snapshots: small }) });
  const project = await continuity.project("site");
  const { goal_id } = await project.createGoal({ text: "Move the site" });
  const lease = await project.acquireLease({ owner_id: "a", ttlMs: 24 * 3_600_000 });
  const results = new Map<string, unknown>();
  await project.steps.begin(lease, keyed("left open"));
  await project.steps.begin(lease, keyed("across"));
  await project.steps.begin(lease, keyed("given up"));
  await project.steps.fail(lease, { step_id: "given up", attempt_id: 1 }, "no answer");
  for (let hour = 0; hour < HOURS; hour++) {
    const { task_id } = await project.addTask({ goal_id, title: `Task of hour ${hour}` });
    await project.startTask({ task_id });
    // So that a beginning is an event of a task, or one of a step.
    if (hour % 2 === 1) await project.completeTask({ task_id });
    for (const [step_id, result] of [
      [`short ${hour}`, hour],
      [`long ${hour}`, `${LONG}${hour}`],
    ] as const) {
      await project.runStep(lease, keyed(step_id), async () => result);
      results.set(step_id, result);
    }
    if (hour % 2 === 0) await project.completeTask({ task_id });
    clock.pass(3_600_000);
  }
  await project.steps.complete(lease, { step_id: "across", attempt_id: 1 }, "over");
  results.set("across", "over");
  return { continuity, store, project, lease, results };
}

async function contentOf(store: ContinuityStore, { workflow_id }: Project): Promise<object> {
  const workflow = await store.workflow(workflow_id);
  const snapshots = await store.snapshots(workflow_id);
  const completed = await store.completedSteps(workflow_id);
  const parsed = (text: string | null): unknown => text && JSON.parse(text);
  return {
    workflow,
    base: snapshots
      .filter(({ last_event_seq }) => last_event_seq === workflow!.base_event_seq)
      .map(({ state_inline, ...row }) => ({ ...row, state: parsed(state_inline) })),
    events: (await store.eventsAfter(workflow_id, 0, 10_000)).map(({ payload, ...row }) => ({
      ...row,
      payload: parsed(payload),
    })),
    attempts: await store.attempts(workflow_id),
    completed: completed.toSorted((a, b) => (a.step_id < b.step_id ? -1 : 1)),
    token: (await store.lease(workflow_id))?.fencing_token,
  };
}

async function opened(kind: Kind): Promise<ContinuityStore> {
  return (await kind.place()).open();
}

async function backedUp({ continuity }: Pick<World, "continuity">): Promise<string> {
  const file = join(newFolder(), "backup.jsonl");
  await continuity.backup({ file });
  return file;
}

/** Asserts that a copy is intact, returns all results, runs no step again, and goes on. */
async function assertGoesOn(project: Project, results: World["results"]): Promise<void> {
  expect((await project.verify()).damages).toEqual([]);
  const lease = await project.acquireLease({ owner_id: "another", takeOverFrom: "a" });
  for (const [step_id, result] of results)
    expect(
      await project.runStep(lease, keyed(step_id), async () => expect.fail("executed again")),
      step_id,
    ).toMatchObject({ executed: false, result });
  expect(Object.keys((await project.state()).open_steps)).toEqual(expect.arrayContaining(["left open"]));
  await project.steps.resolve(lease, { step_id: "left open", attempt_id: 1, outcome: "not_done", reason: "seen" });
  if ((await project.state()).unknown_since) await project.confirmCopy("nothing was done since");
  await project.runStep(lease, keyed("later"), async () => 1);
  await project.prune({ before: hours(10_000_000) });
  expect((await project.verify()).damages).toEqual([]);
}

describe.skipIf(postgres.skip)("a backup of a pruned project", () => {
  it.each([
    ["SQLite to PostgreSQL", sqlite, postgres],
    ["PostgreSQL to SQLite", postgres, sqlite],
  ])("restores exactly from %s: the same rows, and no step runs again", async (_, from, to) => {
    const world = await worked(await opened(from));
    await world.project.prune({ before: hours(1.5) });
    await world.project.prune({ before: hours(3.5) });
    const store = await opened(to);
    const continuity = new Continuity({ store });
    const { projects } = await continuity.restore({ file: await backedUp(world), exact: true });
    expect(projects).toMatchObject([{ outcome: "restored", damages: [] }]);
    const project = await continuity.project("site");
    expect(await contentOf(store, project)).toEqual(await contentOf(world.store, world.project));
    expect(await project.state()).toEqual(await world.project.state());
    await assertGoesOn(project, world.results);
  });
});

for (const kind of on)
  describe.skipIf(kind.skip)(`a pruned project on ${kind.title}`, () => {
    let place: Place;
    let store: ContinuityStore;
    beforeAll(async () => {
      place = await kind.place();
      store = await place.open();
    });

    it("is backed up and restored with the end of all leases, and again from the restored store", async () => {
      const world = await worked(await opened(kind));
      await world.project.prune({ before: hours(2.5) });
      let { continuity } = world;
      for (let copy = 0; copy < 2; copy++) {
        const file = await backedUp({ continuity });
        continuity = new Continuity({ store: await opened(kind) });
        expect(await continuity.restore({ file })).toMatchObject({ projects: [{ damages: [] }] });
        expect(await continuity.restore({ file })).toMatchObject({ projects: [{ outcome: "present", damages: [] }] });
      }
      await assertGoesOn(await continuity.project("site"), world.results);
    });

    it("carries a beginning that is an object, and results that are, and makes them anew where they are restored", async () => {
      const world = await worked(await opened(kind), memoryObjects());
      await world.project.prune({ before: hours(2.5) });
      const file = await backedUp(world);
      const objects = memoryObjects();
      const continuity = new Continuity({ store, objects, snapshots: { everyEvents: 7, inlineBytes: 500 } });
      await continuity.restore({ file });
      const project = await continuity.project("site");
      const [first] = await store.snapshots(project.workflow_id);
      expect(objects.objects.has(first!.state_s3_key!)).toBe(true);
      await assertGoesOn(project, world.results);
    });

    it("is not backed up when a kept event is gone, or its beginning was changed", async () => {
      const spot = await kind.place();
      const world = await worked(await spot.open());
      await world.project.prune({ before: hours(3.5) });
      const [row] = await continuityRows(world);
      await spot.sql(`DELETE FROM events WHERE event_seq < ? AND event_type = 'step_failed'`, row!.base_event_seq);
      await expect(backedUp(world)).rejects.toMatchObject({ code: "damaged" });
      await spot.sql(`DELETE FROM snapshots`);
      await expect(backedUp(world)).rejects.toMatchObject({ code: "damaged" });
      expect(await world.continuity.projects()).toEqual(["site"]);
    });

    it("is no older copy for a position that was noted before, and is still one without its end", async () => {
      const spot = await kind.place();
      const world = await worked(await spot.open());
      const { project } = world;
      const [events] = [await world.store.eventsAfter(project.workflow_id, 0, 1000)];
      const task = events.find(({ event_type }) => event_type === "task_completed")!;
      const last = events.at(-1)!;
      const kept = events.find(({ event_type }) => event_type === "step_completed")!;
      await project.prune({ before: hours(3.5) });
      for (const expected of [task, kept, last])
        expect((await project.verify({ expect: expected })).damages, expected.event_type).toEqual([]);
      for (const expected of [kept, last])
        expect((await project.verify({ expect: { ...expected, checksum: task.checksum } })).damages).toMatchObject([
          { place: "copy" },
        ]);
      const beyond = { event_seq: last.event_seq + 9, checksum: task.checksum };
      expect((await project.verify({ expect: beyond })).damages).toMatchObject([{ place: "copy" }]);
    });

    it("wherever it is cut, its backup has its state, and is intact", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 0, max: HOURS }), { minLength: 1, maxLength: 2 }), async (cuts) => {
          const world = await worked(await opened(sqlite));
          for (const cut of cuts) await world.project.prune({ before: hours(cut + 0.5) });
          const own = new Continuity({ store: await opened(kind) });
          await own.restore({ file: await backedUp(world), exact: true });
          const project = await own.project("site");
          expect(await project.state()).toEqual(await world.project.state());
        }),
        { numRuns: 3 },
      );
    });
  });

async function continuityRows({ store }: World): ReturnType<ContinuityStore["workflows"]> {
  return (await store.workflows()).filter(({ project_id }) => project_id === "site");
}

describe("a backup of a pruned project", () => {
  let world: World;
  let lines: string[];
  let folder: string;
  let target: ContinuityStore;
  let base: number;
  beforeAll(async () => {
    world = await worked(await opened(sqlite));
    ({ base_event_seq: base } = await world.project.prune({ before: hours(2.5) }));
    lines = readFileSync(await backedUp(world), "utf8")
      .trimEnd()
      .split("\n");
    folder = newFolder();
    target = openSqliteStore({ file: ":memory:" });
  });

  /** Writes a backup of these lines, with the right numbers and checksum at its end. */
  function sealed(changed: readonly string[]): string {
    const body = `${changed.slice(0, -1).join("\n")}\n`;
    const count = (part: string): number => changed.filter((line) => line.startsWith(part)).length;
    const results = changed.filter((line) => line.startsWith('{"result"') && line.endsWith('"more":false}}')).length;
    const end = { projects: count('{"project"'), events: count('{"event"'), results };
    const sha256 = createHash("sha256").update(body).digest("hex");
    const file = join(folder, `${(files += 1)}.jsonl`);
    writeFileSync(file, `${body}${JSON.stringify({ end: { ...end, sha256 } })}\n`);
    return file;
  }
  let files = 0;

  const eventOf = (line: string): EventPayload & { checksum: string } =>
    (JSON.parse(line) as { event: EventPayload & { checksum: string } }).event;
  const isKept = (line: string): boolean => line.startsWith('{"event"') && eventOf(line).event_seq < base;
  const edited = (line: string, change: (payload: EventPayload) => object): string => {
    const { checksum: _, ...payload } = eventOf(line);
    const own = { ...payload, ...change(payload) };
    return JSON.stringify({ event: { ...own, checksum: eventRow(own).checksum } });
  };
  const indexOf = (is: (line: string) => boolean): number => lines.findIndex(is);
  const failed = (): number => indexOf((line) => isKept(line) && line.includes('"event_type":"step_failed"'));
  const own = (line: string, part: string): boolean => line.startsWith(`{"${part}"`);

  it("that nobody has changed is restored (so that the refusals below come from the change)", async () => {
    const store = openSqliteStore({ file: ":memory:" });
    await new Continuity({ store }).restore({ file: sealed(lines) });
    await store.close();
  });

  const named: Record<string, readonly [() => readonly string[], RegExp]> = {
    "an edited state": [
      () => lines.map((line) => (own(line, "state") ? line.replace("Move the site", "Move the shop") : line)),
      // Not only behind the next event, which could replace what was edited.
      /the state behind event BASE of workflow .* to have checksum/,
    ],
    "a state of another project": [
      () => lines.map((line) => (own(line, "state") ? line.replace('\\"site\\"', '\\"shop\\"') : line)),
      /the end of a state of the project/,
    ],
    "a state that lacks a part": [
      () => lines.map((line) => (own(line, "state") ? line.replace('\\"open_steps\\"', '\\"other\\"') : line)),
      /the end of a state of the project/,
    ],
    "no state": [() => lines.filter((line) => !own(line, "state")), /the state on which the pruned ledger begins/],
    "a state twice": [
      () => lines.flatMap((line) => (own(line, "state") ? [line, line] : [line])),
      /an event; found the state of a pruned ledger/,
    ],
    "half of the state": [
      () => lines.map((line) => (own(line, "state") ? line.replace('"more":false', '"more":true') : line)),
      /the state on which the pruned ledger begins/,
    ],
    "no kept event of a failure": [() => lines.toSpliced(failed(), 1), /other events than those that were kept/],
    "an edited kept event, with its right checksum": [
      () =>
        lines.with(
          failed(),
          edited(lines[failed()]!, ({ data }) => ({ data: { ...data, error: "all is well" } })),
        ),
      /other events than those that were kept/,
    ],
    "exchanged kept events": [
      () => {
        const [a, b] = [failed(), failed() - 1];
        return lines.with(a, lines[b]!).with(b, lines[a]!);
      },
      /or a kept one before it, behind event/,
    ],
    "kept events that have exchanged their positions, with right checksums": [
      () => {
        const [a, b] = [failed(), failed() - 1];
        const [at, before] = [eventOf(lines[a]!).event_seq, eventOf(lines[b]!).event_seq];
        return lines
          .with(
            b,
            edited(lines[a]!, () => ({ event_seq: before })),
          )
          .with(
            a,
            edited(lines[b]!, () => ({ event_seq: at })),
          );
      },
      /other events than those that were kept/,
    ],
    "an event before the beginning that is none of a step": [
      () =>
        lines.with(
          failed(),
          edited(lines[failed()]!, () => ({ event_type: "task_added" })),
        ),
      /only events of steps before event \d+/,
    ],
    "no event at its beginning": [
      () => lines.filter((line) => !own(line, "event") || eventOf(line).event_seq !== base),
      /or a kept one before it, behind event/,
    ],
    "a beginning with another time": [
      () => lines.map((line) => (own(line, "project") ? line.replace(/"timestamp":"2026/, '"timestamp":"2025') : line)),
      /an event of "2025/,
    ],
    "a beginning behind its end": [
      () =>
        lines.map((line) =>
          own(line, "project") ? line.replace(/"base":\{"event_seq":\d+/, '"base":{"event_seq":9999') : line,
        ),
      /a project with its name/,
    ],
    "no beginning": [
      () =>
        lines
          .filter((line) => !own(line, "state"))
          .map((line) => (own(line, "project") ? line.replace(/,"base":\{[^}]*\}/, "") : line)),
      /events are missing or duplicated/,
    ],
  };
  for (const [name, [changed, message]] of Object.entries(named))
    it(`is refused before anything is written with ${name}`, async () => {
      const file = sealed(changed());
      expect(changed()).not.toEqual(lines);
      await expect(new Continuity({ store: target }).restore({ file })).rejects.toMatchObject({
        code: "damaged",
        message: expect.stringMatching(new RegExp(message.source.replace("BASE", `${base}`))),
      });
      await expect(new Continuity({ store: target }).restore({ file })).rejects.toThrow(/^expected line \d+ of /);
      expect(await target.workflows()).toEqual([]);
    });

  it("leaves a project that was pruned since as it is, and says that it cannot be compared", async () => {
    const pruned = await worked(await opened(sqlite));
    await pruned.project.createGoal({ text: "last" });
    const file = await backedUp(pruned);
    await pruned.project.runStep(pruned.lease, keyed("later"), async () => 1);
    await pruned.project.createGoal({ text: "later" });
    await pruned.project.prune({ before: hours(1000) });
    await expect(pruned.continuity.restore({ file })).rejects.toMatchObject({
      code: "project-exists",
      message: expect.stringMatching(/one that was pruned since: whether it had event \d+ of the backup is not known/),
    });
  });
});

describe("a beginning that is longer than a line of a backup", () => {
  it("is carried by several lines, also when a character is cut at their ends", async () => {
    const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }), ...injected("long") });
    const project = await continuity.project("site");
    // Of two UTF-16 units each, at even places and at odd ones.
    for (let goal = 0; goal < 300; goal++)
      await project.createGoal({ text: "a".repeat(goal % 2) + "\u{1F600}".repeat(1999) });
    await project.prune({ before: hours(1) });
    const file = await backedUp({ continuity });
    const parts = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line.startsWith('{"state"'));
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.some((line) => line.includes("\\ud83d"))).toBe(true);
    const copy = new Continuity({ store: await opened(sqlite) });
    await copy.restore({ file, exact: true });
    expect(await (await copy.project("site")).state()).toEqual(await project.state());
    expect((await (await copy.project("site")).verify()).damages).toEqual([]);
  });
});

describe("an anchor that names an event which was pruned", () => {
  it("shows neither an older copy nor a loss: work goes on, and a backup without that event is restored", async () => {
    const file = join(newFolder(), "work.sqlite");
    const clock = injected("anchor");
    const within = async (work: (project: Project, continuity: Continuity) => Promise<unknown>): Promise<void> => {
      const continuity = new Continuity({ store: openSqliteStore({ file }), ...clock });
      await work(await continuity.project("shop"), continuity);
      await continuity.close();
    };
    await within(async (project) => {
      for (const text of ["one", "two"]) await project.createGoal({ text });
    });
    const before = readFileSync(`${file}.anchor`);
    const backup = join(newFolder(), "backup.jsonl");
    await within(async (project, continuity) => {
      await project.createGoal({ text: "three" });
      clock.pass(3_600_000);
      expect(await project.prune({ before: hours(0.5) })).toMatchObject({ base_event_seq: 3, removed: 1 });
      await continuity.backup({ file: backup });
    });
    writeFileSync(`${file}.anchor`, before);
    await within(async (project) => {
      expect(Object.keys((await project.state()).goals)).toHaveLength(3);
      expect((await project.verify()).damages).toEqual([]);
    });
    for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
    writeFileSync(`${file}.anchor`, before);
    const continuity = new Continuity({ store: openSqliteStore({ file }), ...clock });
    expect(await continuity.restore({ file: backup })).toMatchObject({ projects: [{ lost: null, damages: [] }] });
    await continuity.close();
  });
});

describe("a project that is pruned while it is copied", () => {
  it("is not backed up with missing events, but refused for now", async () => {
    const store = await opened(sqlite);
    const world = await worked(store);
    const lines = world.continuity.backupLines();
    await lines.next();
    await lines.next();
    await world.project.prune({ before: hours(3.5) });
    const reading = (async () => {
      for await (const _ of lines);
    })();
    await expect(reading).rejects.toMatchObject({ code: "busy", message: expect.stringMatching(/pruned meanwhile/) });
  });
});
