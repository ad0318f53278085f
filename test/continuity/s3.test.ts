import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  Continuity,
  type ContinuityStore,
  openSqliteStore,
  type Project,
  s3Storage,
} from "../../src/continuity/index.ts";
import { sha256 } from "../../src/continuity/base/json.ts";
import { type PrivateS3, startS3 } from "./s3-server.ts";
import { injected } from "./injected.ts";

let s3: PrivateS3;
let store: ContinuityStore;
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3.remove());
beforeEach(() => {
  store = openSqliteStore({ file: ":memory:" });
});
afterEach(() => store.close());

const text = (bytes: Uint8Array | undefined): string | undefined => bytes && new TextDecoder().decode(bytes);
const bytes = (content: string): Uint8Array => new TextEncoder().encode(content);

/** As a process that starts now; every second event has a snapshot, which goes to S3 whatever its size. */
const started = (clock = injected()): Promise<Project> =>
  new Continuity({
    store,
    objects: s3.storage(),
    snapshots: { everyEvents: 2, inlineBytes: 1, keep: 2 },
    ...clock,
  }).project("p");
const goals = async (project: Project, count: number): Promise<void> => {
  for (let goal = 1; goal <= count; goal++) await project.createGoal({ text: `goal ${goal}` });
};

describe("objects in S3", () => {
  it("come back byte for byte, are there or not, and go", async () => {
    const storage = s3.storage();
    const all = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
    await storage.put("folder/all bytes", all);
    await storage.put("folder/all bytes", all);
    expect(await storage.get("folder/all bytes")).toEqual(all);
    await storage.put("empty", new Uint8Array());
    expect((await storage.get("empty"))?.length).toBe(0);
    expect(await storage.get("never stored")).toBeUndefined();
    await storage.remove("folder/all bytes");
    await storage.remove("folder/all bytes");
    expect(await storage.get("folder/all bytes")).toBeUndefined();
  });

  it("of two prefixes are apart", async () => {
    const [one, two] = [s3.storage({ prefix: "one/" }), s3.storage({ prefix: "two/" })];
    await one.put("name", bytes("of one"));
    await two.put("name", bytes("of two"));
    expect([
      text(await one.get("name")),
      text(await two.get("name")),
      text(await s3.storage().get("one/name")),
    ]).toEqual(["of one", "of two", "of one"]);
  });

  for (const [name, options] of Object.entries({
    "a key that S3 does not know": { accessKeyId: "unknown" },
    "a bucket that is not there": { bucket: "nobucket" },
  })) {
    it(`are refused as unavailable, with what was asked, for ${name}`, async () => {
      const storage = s3.storage(options);
      await expect(storage.put("name", bytes("x"))).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("store name"),
      });
    });
  }

  it("are looked for before they are needed: an unknown key or a bucket that is not there is said, and nothing is stored", async () => {
    const before = s3.names();
    await s3.storage().check();
    for (const options of [{ accessKeyId: "unknown" }, { bucket: "nobucket" }]) {
      await expect(s3.storage(options).check(), JSON.stringify(options)).rejects.toMatchObject({
        code: "not-writable",
        message: expect.stringMatching(/^expected the object storage to answer; found /) as string,
      });
    }
    await expect(
      s3Storage({ endpoint: "http://no-such-host.invalid/bucket", accessKeyId: "a", secretAccessKey: "b" }).check(),
    ).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/to answer; found "S3 network error: E/) as string,
    });
    expect(s3.names()).toEqual(before);
  });

  it("are not taken for lost where there is no bucket", async () => {
    await expect(s3.storage({ bucket: "nobucket" }).get("name")).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("found no bucket at its address. Create the bucket") as string,
    });
  });

  it.each<[string, unknown, RegExp]>([
    ["no scheme", "s3.example.com/bucket", /without https:\/\//],
    ["a word", "bucket", /without https:\/\//],
    ["another scheme", "ftp://h/bucket", /begins with ftp:/],
    ["no host", "https://", /cannot be parsed/],
    ["nothing", " ", /an empty text/],
    ["keys in it", "https://key:s3cret@h/bucket", /with a user or password in it.*options of their own/],
    ["no text", 7, /found 7/],
  ])("are refused at an address with %s, and nothing secret is told", (_, endpoint, expected) => {
    const open = (): unknown => s3Storage({ endpoint: endpoint as string, accessKeyId: "a", secretAccessKey: "b" });
    expect(open).toThrow(
      expect.objectContaining({ code: "bad-input", message: expect.stringMatching(expected) as string }),
    );
    expect(open).toThrow(
      /^expected the address of a bucket in an object storage, https:\/\/<host>\/<bucket>; found (?:(?!s3cret).)*$/,
    );
  });

  it("at another machine without TLS are warned about once, and with it or at this one not", () => {
    const listWarnings = (endpoint: string): string[] => {
      const warnings: string[] = [];
      s3Storage({ endpoint, accessKeyId: "a", secretAccessKey: "b", warn: (warning) => void warnings.push(warning) });
      return warnings;
    };
    expect(listWarnings("http://s3.example.com:9000/bucket")).toEqual([
      "the object storage http://s3.example.com:9000 is reached without TLS: anybody on the network path can read and change what is stored there. Use https:// in its address.",
    ]);
    for (const endpoint of [
      "https://s3.example.com/bucket",
      "http://localhost:9000/bucket",
      "http://[::1]:9000/bucket",
    ])
      expect(listWarnings(endpoint), endpoint).toEqual([]);
  });

  it("hold large states and results by the name of their SHA-256, and snapshots that are dropped take theirs with them", async () => {
    const project = await started();
    const lease = await project.acquireLease({ owner_id: "a" });
    await project.runStep(lease, { step_id: "s", step_type: "pure" }, async () => ["large", "x".repeat(2000)]);
    await goals(project, 9);
    const keys = (await store.snapshots(project.workflow_id)).map(
      ({ state_s3_key, state_inline }) => [state_s3_key, state_inline] as const,
    );
    expect(keys.map(([, inline]) => inline)).toEqual([null, null]);
    const { result_snapshot_ref } = (await store.step(project.workflow_id, "s", 1)).completion!;
    const own = s3.names().filter((name) => name.startsWith(project.workflow_id));
    expect(own).toEqual([...keys.map(([key]) => key!), result_snapshot_ref.replace("object:", "")].toSorted());
    for (const name of own) expect(name).toBe(`${project.workflow_id}/${sha256((await s3.storage().get(name))!)}`);
    const again = await started();
    expect(await again.state()).toEqual(await project.state());
    expect(await again.runStep(lease, { step_id: "s", step_type: "pure" }, async () => "executed twice")).toEqual({
      result: ["large", "x".repeat(2000)],
      executed: false,
    });
    expect(await again.verify()).toMatchObject({ snapshots: 2, completed_steps: 1, damages: [] });
  });

  it("of the same state at two places are one, which stays as long as one of them needs it", async () => {
    const project = await started();
    const { goal_id } = await project.createGoal({ text: "on and off, while the clock stands" });
    for (let time = 0; time < 9; time++)
      await project.setGoalStatus({ goal_id, status: time % 2 === 0 ? "paused" : "active" });
    const snapshots = await store.snapshots(project.workflow_id);
    expect(new Set(snapshots.map(({ state_s3_key }) => state_s3_key)).size).toBe(1);
    expect(await (await started()).state()).toEqual(await project.state());
    expect((await project.verify()).damages).toEqual([]);
  });
});

describe("while S3 is down", () => {
  afterEach(() => s3.start());

  it("commands are acknowledged, and the snapshot is taken once it is back", async () => {
    const project = await started();
    await goals(project, 3);
    await s3.stop();
    await goals(project, 3);
    expect((await store.latestSnapshot(project.workflow_id))!.last_event_seq).toBe(2);
    await s3.start();
    await project.createGoal({ text: "the first after it is back" });
    expect((await store.latestSnapshot(project.workflow_id))!.last_event_seq).toBe(7);
    expect(await (await started()).verify()).toMatchObject({ events: 7, damages: [] });
    await s3.stop();
  });

  it("a restore that needs it waits for it and then says unavailable, not damaged, and nothing is executed", async () => {
    const project = await started();
    await goals(project, 2);
    const lease = await project.acquireLease({ owner_id: "a" });
    await s3.stop();
    let executed = false;
    const fresh = await started();
    const attempt = fresh.runStep(lease, { step_id: "s", step_type: "pure" }, async () => {
      executed = true;
      return null;
    });
    await expect(attempt).rejects.toMatchObject({ code: "unavailable" });
    await expect(fresh.verify()).rejects.toMatchObject({ code: "unavailable" });
    expect([executed, (await store.eventsAfter(project.workflow_id, 0, 10)).length]).toEqual([false, 3]);
  });

  it("a large result is not committed half: the step stays open and is completed later", async () => {
    const project = await started();
    const lease = await project.acquireLease({ owner_id: "a" });
    const begun = await project.steps.begin(lease, { step_id: "s", step_type: "pure" });
    await s3.stop();
    await expect(project.steps.complete(lease, begun, "x".repeat(2000))).rejects.toMatchObject({ code: "unavailable" });
    expect(Object.keys((await project.state()).open_steps)).toEqual(["s"]);
    await s3.start();
    expect(await project.steps.complete(lease, begun, "x".repeat(2000))).toEqual({ duplicate: false });
    expect((await project.verify()).damages).toEqual([]);
    await s3.stop();
  });
});

it("a snapshot counts although what it replaces cannot be removed, and is not taken anew with every command", async () => {
  const storage = s3.storage();
  const puts: string[] = [];
  const project = await new Continuity({
    store,
    snapshots: { everyEvents: 2, inlineBytes: 1, keep: 1 },
    objects: {
      ...storage,
      put: async (name, content) => {
        puts.push(name);
        await storage.put(name, content);
      },
      remove: () => s3.storage({ accessKeyId: "may not remove" }).remove("x"),
    },
  }).project("p");
  await goals(project, 8);
  expect([
    puts.length,
    (await store.snapshots(project.workflow_id)).map(({ last_event_seq }) => last_event_seq),
  ]).toEqual([4, [8]]);
});

describe("tampering with objects in S3", () => {
  it("a changed byte, a cut and a removal are named, wherever they are, and no restore and no result passes over them", async () => {
    const project = await started();
    const lease = await project.acquireLease({ owner_id: "a" });
    await project.runStep(lease, { step_id: "s", step_type: "pure" }, async () => ["large", "x".repeat(200)]);
    await goals(project, 5);
    const [latest, { result_snapshot_ref }] = [
      (await store.latestSnapshot(project.workflow_id))!.state_s3_key!,
      (await store.step(project.workflow_id, "s", 1)).completion!,
    ];
    const places = { [latest]: "snapshot", [result_snapshot_ref.replace("object:", "")]: "step" };
    const change = fc.oneof(
      {
        arbitrary: fc.record({ how: fc.constant("byte"), at: fc.nat(), mask: fc.integer({ min: 1, max: 255 }) }),
        weight: 8,
      },
      fc.record({ how: fc.constantFrom("cut", "gone"), at: fc.nat(), mask: fc.constant(1) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(places)), change, async (name, { how, at, mask }) => {
        const before = (await s3.storage().get(name))!;
        try {
          s3.tamper(name, (content) => {
            if (how === "gone") return undefined;
            if (how === "cut") return content.subarray(0, at % content.length);
            content[at % content.length]! ^= mask;
            return content;
          });
          const again = await started();
          if (places[name] === "snapshot")
            await expect(again.createGoal({ text: "g" })).rejects.toMatchObject({
              code: "damaged",
              message: expect.stringContaining(name),
            });
          else
            await expect(
              again.runStep(lease, { step_id: "s", step_type: "pure" }, async () => expect.fail("executed again")),
            ).rejects.toMatchObject({ code: "damaged", message: expect.stringContaining(name) });
          // What was known before the change needs no object, and is checked like any other.
          expect((await project.verify()).damages).toEqual([
            { place: places[name], message: expect.stringContaining(name) },
          ]);
        } finally {
          s3.restore(name, before);
        }
      }),
      { numRuns: Number(process.env["CONTINUITY_RUNS"] ?? 25) },
    );
    expect((await project.verify()).damages).toEqual([]);
  });
});
