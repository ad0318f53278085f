import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Continuity } from "../../src/continuity/index.ts";
import { startPgBouncer } from "../../harness/pgbouncer.ts";
import { startPostgres } from "../../harness/postgres.ts";
import { type Checked, checkStore } from "./check.ts";
import { type Disturbances, playCrew } from "./crew.ts";
import { type Note, readNotes } from "./notes.ts";
import { projectNames } from "./script.ts";
import { openStore, type StorePlace } from "./stores.ts";

/** One run of the chaos. */
export interface RunOptions {
  readonly store: StorePlace["kind"];
  readonly seed: string;
  /** Steps in all, at least; each workflow has as many. */
  readonly steps: number;
  readonly workers: number;
  readonly workflows: number;
  /** Milliseconds between two disturbances. */
  readonly pause: { readonly from: number; readonly to: number };
  /** Disturbances at most; without it, for as long as there is work. */
  readonly most?: number;
  readonly longestMs: number;
  /** The workers reach PostgreSQL through PgBouncer in transaction mode. */
  readonly pooler?: boolean;
  /** How far the workers' clocks are off, to both sides. */
  readonly skewMs?: number;
  /** The server is also stopped in the middle of what it does (SIGSTOP), and goes on. */
  readonly hangs?: boolean;
  readonly say?: (line: string) => void;
}

/** What a run came to. */
export interface RunResult {
  readonly disturbances: Disturbances;
  readonly checked: Checked;
  readonly expectedCompletions: number;
  readonly acknowledged: number;
  readonly executions: number;
  /** How often each refusal came. */
  readonly refusals: ReadonlyMap<string, number>;
  readonly seconds: number;
  /** In words; empty when everything held. */
  readonly faults: readonly string[];
}

/** Plays the chaos on a store of its own, which is removed unless a fault was found, and checks it. */
export async function playRun({ store: kind, steps, workflows, ...options }: RunOptions): Promise<RunResult> {
  const folder = mkdtempSync(join(tmpdir(), "continuity-chaos-"));
  const notesFolder = join(folder, "notes");
  mkdirSync(notesFolder);
  const server = kind === "postgres" ? await startPostgres() : undefined;
  const pooler = server && options.pooler === true ? await startPgBouncer(server.url, { connections: 10 }) : undefined;
  const place: StorePlace = server
    ? { kind: "postgres", url: (pooler ?? server).url, schema: "continuity" }
    : { kind: "sqlite", file: join(folder, "continuity.sqlite") };
  const stepsEach = Math.ceil(steps / workflows);
  const began = performance.now();
  try {
    await prepare(place, workflows);
    const restart = server && ((how: "fast" | "immediate"): Promise<void> => server.restart(how));
    const disturbances = await playCrew(
      {
        ...options,
        workflows,
        stepsEach,
        folder: notesFolder,
        store: place,
        restart,
        hang: options.hangs === true ? server : undefined,
      },
      options.say,
    );
    const seconds = (performance.now() - began) / 1000;
    const notes = readNotes(notesFolder);
    const store = await openStore(place);
    const checked = await checkStore(store, notes).finally(() => store.close());
    const counted = {
      disturbances,
      checked,
      expectedCompletions: stepsEach * workflows,
      ...countNotes(notes),
      seconds,
    };
    const faults = listFaults(counted);
    if (faults.length === 0) rmSync(folder, { recursive: true });
    else options.say?.(`what the workers wrote down is kept in ${folder}`);
    return { ...counted, faults };
  } finally {
    await pooler?.stop();
    await server?.stop();
  }
}

async function prepare(place: StorePlace, workflows: number): Promise<void> {
  const continuity = new Continuity({ store: await openStore(place) });
  for (const name of projectNames(workflows)) {
    const project = await continuity.project(name);
    const { goal_id } = await project.createGoal({ text: `All steps of ${name} are done` });
    const { task_id } = await project.addTask({ goal_id, title: "Do them in their order" });
    await project.startTask({ task_id });
  }
  await continuity.close();
}

function countNotes(notes: readonly Note[]): Pick<RunResult, "acknowledged" | "executions" | "refusals"> {
  const refusals = new Map<string, number>();
  for (const note of notes) if (note.kind === "refused") refusals.set(note.code, (refusals.get(note.code) ?? 0) + 1);
  const count = (kind: Note["kind"]): number => notes.filter((note) => note.kind === kind).length;
  return { acknowledged: count("acknowledged"), executions: count("executed"), refusals };
}

function listFaults({
  disturbances,
  checked,
  expectedCompletions,
}: Pick<RunResult, "disturbances" | "checked" | "expectedCompletions">): string[] {
  return [
    ...disturbances.failures,
    ...checked.findings.map(({ rule, project_id, message }) => `${rule}: ${project_id}: ${message}`),
    ...checked.damages.map((damage) => `verify: ${damage}`),
    ...(checked.completions === expectedCompletions
      ? []
      : [`${checked.completions} steps are completed, expected ${expectedCompletions}`]),
  ];
}
