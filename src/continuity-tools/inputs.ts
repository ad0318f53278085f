import { Type, type Static, type TObject, type TSchema } from "typebox";
import { OUTCOMES } from "../continuity/index.ts";
import { SCHEMAS } from "../continuity/steps/inputs.ts";

/**
 * The inputs of the tools. Their fields are those of the kernel's operations, without `command_id`, in the fewest
 * words: every request of every conversation carries them.
 */
const closed = <const Properties extends Record<string, TSchema>>(properties: Properties): TObject<Properties> =>
  Type.Object(properties, { additionalProperties: false });

/** Returns a field of an operation without its description: what a name does not say, a refusal does. */
function as<Schema extends TSchema>(schema: Schema): Schema {
  // typebox keeps what it needs in properties that a spread would not copy.
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as Schema & {
    description?: string | undefined;
    items?: TSchema;
  };
  if (copy.items !== undefined) copy.items = as(copy.items);
  delete copy.description;
  return copy;
}

/** An optional field of an enumeration, with its type, which some providers require beside an enumeration. */
function optionalStatus<Schema extends TSchema>(schema: Schema): Schema {
  return Object.assign(as(schema), { type: "string" });
}

const goal = SCHEMAS.update_goal.properties;
const task = SCHEMAS.update_task.properties;
const newTask = SCHEMAS.add_task.properties;

const VIEWS = ["overview", "next", "ready", "doing", "blocked", "done", "steps", "changes"] as const;

export const GET_WORK = closed({
  view: Type.Optional(Type.Enum([...VIEWS], { type: "string" })),
  task_id: Type.Optional(as(task.task_id)),
  since: Type.Optional(Type.String({ maxLength: 40 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
});

export const CREATE_GOAL = closed({
  text: as(SCHEMAS.create_goal.properties.text),
  priority: Type.Optional(as(SCHEMAS.create_goal.properties.priority)),
});

export const ADD_TASK = closed({
  goal_id: as(newTask.goal_id),
  title: as(newTask.title),
  acceptance_criteria: as(newTask.acceptance_criteria),
  depends_on: as(newTask.depends_on),
});

export const UPDATE_TASK = closed({
  task_id: as(task.task_id),
  status: optionalStatus(task.status),
  why: as(task.why),
  where_we_left_off: as(task.where_we_left_off),
  next_step: as(task.next_step),
  needed_context_refs: as(task.needed_context_refs),
  title: as(task.title),
  acceptance_criteria: as(task.acceptance_criteria),
  depends_on: as(task.depends_on),
  priority: as(task.priority),
  due: as(task.due),
  retries: as(task.retries),
});

export const SET_GOAL_STATUS = closed({
  goal_id: as(goal.goal_id),
  status: optionalStatus(goal.status),
  why: as(goal.why),
  text: as(goal.text),
  priority: as(goal.priority),
});

const step_id = Type.String({ minLength: 1, maxLength: 100, pattern: "\\S" });
const attempt_id = Type.Integer({ minimum: 1 });
const LONGEST_TEXT = 100_000;
const idempotency_key = Type.String({
  minLength: 1,
  maxLength: 500,
  description: "Names the effect; pass it on.",
});
const input = Type.String({ maxLength: LONGEST_TEXT });
const result = Type.String({ maxLength: LONGEST_TEXT });
const why = Type.String({ minLength: 1, maxLength: 1000, pattern: "\\S" });
const outcome = Type.Enum([...OUTCOMES], { type: "string" });
/** What is known when an action failed. */
const EFFECTS = ["not_done", "unknown"] as const;
const effect = Type.Enum([...EFFECTS], { type: "string" });
const ACTIONS = ["begin", "complete", "fail", "resolve"] as const;
const action = (one: (typeof ACTIONS)[number]): TSchema => Type.Enum([one], { type: "string" });

export const STEP = closed({
  action: Type.Enum([...ACTIONS], { type: "string" }),
  step_id,
  idempotency_key: Type.Optional(idempotency_key),
  input: Type.Optional(input),
  task_id: Type.Optional(as(task.task_id)),
  attempt_id: Type.Optional(attempt_id),
  result: Type.Optional(result),
  outcome: Type.Optional(Type.Enum([...OUTCOMES, "unknown"], { type: "string" })),
  why: Type.Optional(why),
});

/** What each action of a step takes, of the fields of {@link STEP}. */
export const STEP_ACTIONS = {
  begin: closed({
    action: action("begin"),
    step_id,
    idempotency_key,
    input: Type.Optional(input),
    task_id: Type.Optional(as(task.task_id)),
  }),
  complete: closed({ action: action("complete"), step_id, attempt_id, result: Type.Optional(result) }),
  fail: closed({ action: action("fail"), step_id, attempt_id, why, outcome: Type.Optional(effect) }),
  resolve: closed({
    action: action("resolve"),
    step_id,
    attempt_id,
    outcome,
    why,
    result: Type.Optional(result),
  }),
} as const;

export type Begin = Static<typeof STEP_ACTIONS.begin>;
export type GetWork = Static<typeof GET_WORK>;
