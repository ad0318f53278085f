import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Continuity, openPostgresStore } from "../../../src/continuity/index.ts";

/** Several processes that write to one project of one PostgreSQL. */
export interface Hot {
  readonly writers: number;
  /** Commands per second of all together. */
  readonly perSecond: number;
  /** Commands of the writer that carried out the fewest, and of the one that carried out the most. */
  readonly fewest: number;
  readonly most: number;
  readonly slowestMs: number;
}

const WRITER = fileURLToPath(new URL("hot-writer.ts", import.meta.url));
const WRITERS = [1, 2, 8, 32];
const SCHEMA = "hot";

/** Measures one project with more and more writers, each a process, for `milliseconds` each. */
export async function measureHot(url: string, milliseconds = 4000): Promise<Hot[]> {
  const store = await openPostgresStore({ connectionString: url, schema: SCHEMA });
  const project = await new Continuity({ store }).project("hot");
  const { goal_id } = await project.createGoal({ text: "Many write at once" });
  await project.startTask({ task_id: (await project.addTask({ goal_id, title: "Write" })).task_id });
  await store.close();
  const hots: Hot[] = [];
  for (const writers of WRITERS) hots.push(await measured(url, writers, milliseconds));
  return hots;
}

async function measured(url: string, writers: number, milliseconds: number): Promise<Hot> {
  const all = Array.from({ length: writers }, (_, at) => {
    const args = ["--no-warnings", WRITER, url, SCHEMA, `writer ${at}`, String(milliseconds)];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
  });
  for (const { lines } of all) await lines.next();
  const begun = performance.now();
  for (const { child } of all) child.stdin.write("go\n");
  const told = await Promise.all(
    all.map(async ({ lines }) => JSON.parse(String((await lines.next()).value)) as { done: number; slowestMs: number }),
  );
  const seconds = (performance.now() - begun) / 1000;
  const done = told.map((one) => one.done);
  return {
    writers,
    perSecond: done.reduce((sum, one) => sum + one, 0) / seconds,
    fewest: Math.min(...done),
    most: Math.max(...done),
    slowestMs: Math.max(...told.map((one) => one.slowestMs)),
  };
}
