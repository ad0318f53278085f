import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { briefing, Continuity, ContinuityError, openSqliteStore } from "../../../src/continuity/index.ts";
import { eventRow } from "../../../src/continuity/ledger/events.ts";
import { emptyState, type WorkState } from "../../../src/continuity/base/state.ts";
import { stateChecksum } from "../../../src/continuity/ledger/checksum.ts";
import { applyDelta } from "../../../src/continuity/ledger/delta.ts";
import { continuityFile, workTools } from "../../../src/continuity-tools/index.ts";
import { runHere } from "../../cli/in-process.ts";

const RUNS = Number(process.env["CONTINUITY_RUNS"] ?? 60);
const ESCAPES = "\u001b[2J\u202e\u0007";
/** What a ledger can hold whose writer computes all checksums. */
const HOSTILE: readonly unknown[] = [
  {},
  [],
  null,
  true,
  -1,
  1e308,
  2 ** 53,
  0.5,
  "",
  ESCAPES,
  "a\nEnd of recorded work.",
  "\ud800",
  "\u0000",
  "<script>alert(1)</script>",
  "x".repeat(200_000),
  [[["d"]]],
  { a: { b: 1 } },
  ["a", 1, null],
  "done",
  "doing",
  "2026-01-01T00:00:00.000Z",
  `Jan 1 2026 (${ESCAPES})`,
];

type Line = Record<string, Record<string, unknown>>;
let lines: Line[];

beforeAll(async () => {
  const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
  const project = await continuity.project("crafted");
  const { goal_id } = await project.createGoal({ text: "g", priority: 1 });
  const { task_id } = await project.addTask({ goal_id, title: "t", acceptance_criteria: ["c"] });
  const other = await project.addTask({ goal_id, title: "t2", depends_on: [task_id] });
  await project.startTask({ task_id });
  const stand = { where_we_left_off: "w", next_step: "n", needed_context_refs: ["r"], blockers: ["b"] };
  await project.updateCheckpoint({ task_id, ...stand });
  await project.blockTask({ task_id, blocker: "bb" });
  await project.updateTask({ task_id: other.task_id, title: "t3", where_we_left_off: "w", next_step: "n" });
  const lease = await project.acquireLease({ owner_id: "o" });
  await project.runStep(lease, { step_id: "s1", step_type: "pure" }, async () => "r".repeat(200));
  const pay = { step_id: "s2", step_type: "non_idempotent", idempotency_key: "k", input: "i" } as const;
  const attempt = await project.steps.begin(lease, pay);
  await project.steps.fail(lease, attempt, "broke", { mayHaveActed: true });
  await lease.release();
  const done = await project.createGoal({ text: "done" });
  await project.setGoalStatus({ goal_id: done.goal_id, status: "done" });
  const file = join(newFolder(), "backup.jsonl");
  await continuity.backup({ file });
  await continuity.close();
  lines = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
});

function placesIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, member]) => placesIn(member, [...path, key]))];
}

function put(value: unknown, path: readonly string[], to: unknown): void {
  let at = value as Record<string, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
  at[path.at(-1)!] = to;
}

/** Fields that are computed anew. */
const SEALS = new Set(["workflow_id", "event_seq", "checksum", "previous", "state_checksum"]);

/** The backup with a value put into some place, and all checksums right; undefined where no state follows from it. */
function crafted(which: number, place: number, value: unknown): string | undefined {
  const changed = structuredClone(lines);
  const targets = [changed[0]!, changed[1]!["project"]!, ...eventLines(changed).map((line) => line["event"]!)];
  const target = targets[which % targets.length]!;
  const places = placesIn(target).filter(([field]) => field !== undefined && !SEALS.has(field) && field !== "format");
  put(target, places[place % places.length]!, structuredClone(value));
  return sealed(changed);
}

const eventLines = (changed: readonly Line[]): Line[] => changed.filter((line) => line["event"]);

/** The text of a backup with all checksums right; undefined where no state follows from its events. */
function sealed(changed: Line[]): string | undefined {
  let [previous, state]: [string | null, WorkState] = [
    null,
    emptyState(String(lines[1]!["project"]!["workflow_id"]), "crafted"),
  ];
  try {
    for (const line of eventLines(changed)) {
      const { checksum: _, ...event } = line["event"]!;
      state = applyDelta(state, event["delta"] as never);
      const payload = { ...event, previous, state_checksum: stateChecksum(state) };
      const { checksum } = eventRow(payload as never);
      line["event"] = { ...payload, checksum };
      previous = checksum;
    }
  } catch {
    return undefined;
  }
  changed[1]!["project"]!["checksum"] = previous;
  return ended(changed);
}

/** The text of a backup whose last line is right. */
function ended(changed: Line[]): string {
  const body = `${changed
    .slice(0, -1)
    .map((line) => JSON.stringify(line))
    .join("\n")}\n`;
  const sha256 = createHash("sha256").update(body).digest("hex");
  return `${body}${JSON.stringify({ end: { ...lines.at(-1)!["end"], sha256 } })}\n`;
}

// eslint-disable-next-line no-control-regex
const ACTS = /[\u0000-\u0009\u000b-\u001f\u007f\u202e]/;

describe("a backup whose writer computed all checksums", () => {
  it("is refused in words, or is work like any other: nothing that reads it fails, acts on a terminal or on a page", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.constantFrom(...HOSTILE), async (which, place, value) => {
        const text = crafted(which, place, value);
        fc.pre(text !== undefined);
        const [file, state] = [join(newFolder(), "crafted.jsonl"), newFolder()];
        writeFileSync(file, text!);
        const store = openSqliteStore({ file: continuityFile(state) });
        const continuity = new Continuity({ store });
        try {
          const { projects } = await continuity.restore({ file });
          for (const { damages } of projects) expect(damages).toEqual([]);
        } catch (error) {
          if (!(error instanceof ContinuityError)) throw error;
          expect(await store.workflows()).toEqual([]);
          return;
        }
        const project = await continuity.project("crafted");
        const now = Date.now();
        expect(briefing(await project.activeWork(), { now }) ?? "").not.toMatch(ACTS);
        const [getWork] = workTools();
        const views = ["overview", "next", "doing", "blocked", "done", "steps", "changes"];
        for (const view of views) await getWork!.run(project, { view });
        for (const task_id of Object.keys((await project.state()).tasks)) await getWork!.run(project, { task_id });
        await continuity.close();
        const page = join(newFolder(), "page.html");
        const copy = join(newFolder(), "copy.jsonl");
        for (const args of [
          ["status", "--html", page],
          ["next"],
          ["resolve"],
          ["history", "--limit", "50"],
          ["verify"],
          ["backup", "--out", copy],
        ]) {
          const { status, stdout, stderr } = await runHere(state, ["continuity", ...args], 80);
          expect([status, stderr], args[0]).toEqual([0, ""]);
          expect(stdout, args[0]).not.toMatch(ACTS);
        }
        expect(readFileSync(page, "utf8")).not.toMatch(/<script>alert/);
      }),
      { numRuns: RUNS },
    );
  });

  const named: Record<string, (changed: Line[]) => void> = {
    "a time with a comment in it, as Date.parse allows": ([heading]) =>
      Object.assign(heading!, { created_at: `Jan 1 2026 (${ESCAPES})` }),
    "a project without a name": ([, project]) => Object.assign(project!["project"]!, { project_id: " " }),
    "a fencing token behind which no other can be given": ([, project]) =>
      Object.assign(project!["project"]!, { fencing_token: Number.MAX_SAFE_INTEGER }),
    "a project that is a number": ([, project]) => Object.assign(project!, { project: 5 }),
    "an event that is a number": (changed) => Object.assign(changed[2]!, { event: 5 }),
  };
  for (const [name, change] of Object.entries(named))
    it(`is refused with ${name}`, async () => {
      const changed = structuredClone(lines);
      change(changed);
      await expectRefused(ended(changed));
    });

  it("is refused with an attempt that its state does not have open: nobody could begin or resolve that step", async () => {
    const changed = structuredClone(lines);
    const begin = eventLines(changed).findLast(({ event }) => event!["event_type"] === "step_started");
    Object.assign(begin!["event"]!["data"] as object, { step_id: "another" });
    await expectRefused(sealed(changed)!);
  });
});

async function expectRefused(text: string): Promise<void> {
  const file = join(newFolder(), "crafted.jsonl");
  writeFileSync(file, text);
  const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
  await expect(continuity.restore({ file })).rejects.toMatchObject({ name: "ContinuityError", code: "damaged" });
  expect(await continuity.projects()).toEqual([]);
  await continuity.close();
}
