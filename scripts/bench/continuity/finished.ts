import { Continuity, type Project } from "../../../src/continuity/index.ts";
import { measurePair, type Pair } from "./pairs.ts";
import type { Subject } from "./stores.ts";

const [FEW, MANY, MOST] = [20, 1000, 10_000];
const SIZE = { rounds: 21, calls: 15 } as const;

/** The same command in workflows with 1,000 and 10,000 finished tasks, against one with 20: the past costs nothing. */
export async function measureFinished({ name, store }: Subject): Promise<Pair[]> {
  const continuity = new Continuity({ store });
  const few = await withFinished(await continuity.project("few finished"), FEW);
  const pairs: Pair[] = [];
  for (const count of [MANY, MOST]) {
    const append = await withFinished(await continuity.project(`${count} finished`), count);
    const what = `update_checkpoint, ${count.toLocaleString("en-US")} finished tasks`;
    pairs.push(await measurePair(what, name, append, few, SIZE));
  }
  return pairs;
}

async function withFinished(project: Project, count: number): Promise<() => Promise<unknown>> {
  const { goal_id } = await project.createGoal({ text: "The report is with the customer" });
  for (let at = 0; at < count; at++) {
    const { task_id } = await project.addTask({ goal_id, title: `Write chapter ${at + 1} of the report` });
    await project.startTask({ task_id });
    await project.completeTask({ task_id, evidence: `chapter-${at + 1}.md` });
  }
  const { task_id } = await project.addTask({ goal_id, title: "Print the report" });
  await project.startTask({ task_id });
  let page = 0;
  return () =>
    project.updateCheckpoint({
      task_id,
      where_we_left_off: `${++page} pages are printed.`,
      next_step: `Print page ${page + 1}.`,
    });
}
