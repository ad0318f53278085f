import { Continuity, type ContinuityStore, type EventRow, type Project } from "../../../src/continuity/index.ts";
import { measurePair, type Pair } from "./pairs.ts";
import { rowsLike, type Subject } from "./stores.ts";

const TASKS = 20;
const SIZE = { rounds: 21, calls: 15 } as const;

/**
 * A project with one goal and 20 tasks, the first of which is being done; and the command that is measured, never twice
 * the same.
 */
export async function projectWithTasks(
  continuity: Continuity,
  name: string,
): Promise<{ readonly project: Project; readonly append: () => Promise<unknown> }> {
  const project = await continuity.project(name);
  const { goal_id } = await project.createGoal({ text: "The report is with the customer", priority: 5 });
  const ids: string[] = [];
  for (let at = 0; at < TASKS; at++)
    ids.push(
      (
        await project.addTask({
          goal_id,
          title: `Write chapter ${at + 1} of the report`,
          acceptance_criteria: ["It was read by another person"],
        })
      ).task_id,
    );
  await project.startTask({ task_id: ids[0]! });
  let done = 0;
  const append = (): Promise<unknown> =>
    project.updateCheckpoint({
      task_id: ids[0]!,
      where_we_left_off: `${++done} of the sections are written, the figures of section ${done} are in.`,
      next_step: `Write section ${done + 1}.`,
      needed_context_refs: [`notes/section-${done + 1}.md`],
    });
  await append();
  await append();
  return { project, append };
}

/** The last event of a project. */
export async function lastEvent(
  store: ContinuityStore,
  { workflow_id }: Pick<Project, "workflow_id">,
): Promise<EventRow> {
  const { last_event_seq } = (await store.workflow(workflow_id))!;
  return (await store.eventsAfter(workflow_id, last_event_seq - 1, 1))[0]!;
}

/**
 * A command, from its input to the acknowledgement, with the snapshots that fall due, against the INSERT of a row like
 * its event.
 */
export async function measureAppend({ name, store, bare }: Subject): Promise<Pair> {
  const { project, append } = await projectWithTasks(new Continuity({ store }), "append");
  const next = rowsLike(await lastEvent(store, project));
  return await measurePair("update_checkpoint, 20 tasks", name, append, () => bare.insert(next()), SIZE);
}
