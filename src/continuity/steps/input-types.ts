/** What the operations take, in types that need no library. Their schemas have the same ones, which a test holds. */
interface Repeatable {
  command_id?: string;
}

interface OfGoal extends Repeatable {
  goal_id: string;
}

interface OfTask extends Repeatable {
  task_id: string;
}

interface TaskWords {
  acceptance_criteria?: string[];
  depends_on?: string[];
}

/** Null: that of its goal, or none. */
interface RankOrNone {
  priority?: number | null;
  due?: string | null;
  retries?: number | null;
}

interface Rank {
  priority?: number;
  due?: string;
  retries?: number;
}

interface Handle {
  where_we_left_off: string;
  next_step: string;
  needed_context_refs?: string[];
  blockers?: string[];
}

interface Inputs {
  create_goal: Repeatable & { text: string; priority?: number };
  set_goal_status: OfGoal & { status: "active" | "paused" | "done" };
  end_goal: OfGoal & { status: "dropped" | "failed"; reason: string };
  edit_goal: OfGoal & { text?: string; priority?: number };
  update_goal: OfGoal & {
    status?: "active" | "paused" | "done" | "dropped" | "failed";
    why?: string;
    text?: string;
    priority?: number;
  };
  add_task: OfGoal & TaskWords & Rank & { title: string };
  edit_task: OfTask & TaskWords & RankOrNone & { title?: string };
  drop_task: OfTask & { reason: string };
  start_task: OfTask;
  pause_task: OfTask & { reason?: string };
  block_task: OfTask & { blocker: string };
  fail_task: OfTask & { reason: string };
  complete_task: OfTask & { evidence?: string };
  update_checkpoint: OfTask & Handle;
  update_task: OfTask &
    TaskWords &
    Rank &
    Partial<Handle> & {
      status?: "todo" | "doing" | "blocked" | "done" | "dropped" | "failed";
      why?: string;
      title?: string;
    };
}

export type OperationName = keyof Inputs;
export type Input<Name extends OperationName> = Readonly<Inputs[Name]>;

/** A JSON Schema of an object. */
export interface ObjectSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}
