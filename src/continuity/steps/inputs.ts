import { Type, type Static, type TObject, type TSchema } from "typebox";
import { Compile, Errors, type Validator } from "typebox/schema";
import { nameInline, valueInline } from "../../base/quoted.ts";
import { joinSome } from "../../base/join-some.ts";
import { continuityError } from "../base/errors.ts";
import { assertStorable } from "../base/json.ts";
import type { Input, ObjectSchema, OperationName } from "./input-types.ts";

/**
 * The input of each operation as JSON Schema: the library checks its arguments with it, and the tools of OpenClaw and
 * MCP offer it to the model.
 */
const id = (of: string): ReturnType<typeof Type.String> =>
  Type.String({ minLength: 1, maxLength: 100, description: `Id of the ${of}.` });
const line = (description: string, maxLength = 500): ReturnType<typeof Type.String> =>
  Type.String({ minLength: 1, maxLength, pattern: "\\S", description });
const lines = (description: string, maxItems = 50): ReturnType<typeof Type.Array<ReturnType<typeof line>>> =>
  Type.Array(line(description, 1000), { maxItems, description });
const command_id = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: "Makes a repetition of this very call harmless: the same id is carried out once.",
  }),
);
const closed = <const Properties extends Record<string, TSchema>>(properties: Properties): TObject<Properties> =>
  Type.Object(properties, { additionalProperties: false });

const priority = Type.Integer({ minimum: -1000, maximum: 1000, description: "Higher is more important." });
const goalWords = {
  text: Type.Optional(line("Why the work is being done.", 2000)),
  priority: Type.Optional(priority),
};
const taskWords = {
  acceptance_criteria: Type.Optional(lines("What must hold when it is done.")),
  depends_on: Type.Optional(
    Type.Array(id("task that must be done first"), {
      maxItems: 100,
      description: "Ids of tasks that must be done first.",
    }),
  ),
};
const due = Type.String({
  minLength: 10,
  maxLength: 40,
  description: "A time with its zone, or a day (its end, in UTC).",
});
const retries = Type.Integer({ minimum: 0, maximum: 100, description: "How often it is tried again after a failure." });
const rank = { priority: Type.Optional(priority), due: Type.Optional(due), retries: Type.Optional(retries) };
/** Null: that of its goal, or none. */
const rankOrNone = {
  priority: Type.Optional(Type.Union([priority, Type.Null()])),
  due: Type.Optional(Type.Union([due, Type.Null()])),
  retries: Type.Optional(Type.Union([retries, Type.Null()])),
};
const handle = {
  where_we_left_off: line("What has been done and where it stands, in one to three sentences.", 1500),
  next_step: line("The one single action that comes next."),
};
const handleMore = {
  needed_context_refs: Type.Optional(lines("A file, address, message or other place that the next step needs.")),
  blockers: Type.Optional(lines("What stands in the way.")),
};

/** The schemas of {@link INPUTS} with the types of their library, for the rooms that make other schemas of them. */
export const SCHEMAS = {
  create_goal: closed({
    text: line("Why the work is being done.", 2000),
    priority: Type.Optional(
      Type.Integer({ minimum: -1000, maximum: 1000, description: "Higher is more important; 0 when left out." }),
    ),
    command_id,
  }),
  set_goal_status: closed({
    goal_id: id("goal"),
    status: Type.Enum(["active", "paused", "done"], { description: "done needs all its tasks to be done." }),
    command_id,
  }),
  end_goal: closed({
    goal_id: id("goal"),
    status: Type.Enum(["dropped", "failed"], { description: "dropped: it is not wanted any more." }),
    reason: line("Why it is not reached.", 1000),
    command_id,
  }),
  edit_goal: closed({ goal_id: id("goal"), ...goalWords, command_id }),
  update_goal: closed({
    goal_id: id("goal"),
    status: Type.Optional(
      Type.Enum(["active", "paused", "done", "dropped", "failed"], {
        description: "done needs all its tasks to be done. dropped and failed drop them, and need a why.",
      }),
    ),
    why: Type.Optional(line("Why it is dropped or has failed.", 1000)),
    ...goalWords,
    command_id,
  }),
  add_task: closed({ goal_id: id("goal"), title: line("What is to be done."), ...taskWords, ...rank, command_id }),
  edit_task: closed({
    task_id: id("task"),
    title: Type.Optional(line("What is to be done.")),
    ...taskWords,
    ...rankOrNone,
    command_id,
  }),
  drop_task: closed({ task_id: id("task"), reason: line("Why it is not to be done.", 1000), command_id }),
  start_task: closed({ task_id: id("task"), command_id }),
  pause_task: closed({ task_id: id("task"), reason: Type.Optional(line("Why it is paused.", 1000)), command_id }),
  block_task: closed({ task_id: id("task"), blocker: line("What it waits for.", 1000), command_id }),
  fail_task: closed({ task_id: id("task"), reason: line("Why it has failed.", 1000), command_id }),
  complete_task: closed({
    task_id: id("task"),
    evidence: Type.Optional(line("What shows that it is done.", 4000)),
    command_id,
  }),
  update_checkpoint: closed({ task_id: id("task"), ...handle, ...handleMore, command_id }),
  update_task: closed({
    task_id: id("task"),
    status: Type.Optional(
      Type.Enum(["todo", "doing", "blocked", "done", "dropped", "failed"], {
        description: "blocked, dropped and failed need a why.",
      }),
    ),
    why: Type.Optional(line("What a blocked task waits for, what shows that it is done, or why it changes.", 1000)),
    title: Type.Optional(line("What is to be done.")),
    ...taskWords,
    ...rank,
    where_we_left_off: Type.Optional(handle.where_we_left_off),
    next_step: Type.Optional(handle.next_step),
    ...handleMore,
    command_id,
  }),
} as const;

/** The JSON Schema of what each operation takes. */
export const INPUTS: Readonly<Record<OperationName, ObjectSchema>> = SCHEMAS;

const MAX_FAULTS = 3;

/**
 * Returns the input if it fits the operation's schema. Throws `bad-input` with each place, what was expected there, and
 * the fields of the operation.
 */
export function checkInput<Name extends OperationName>(name: Name, input: unknown): Input<Name> {
  return checkShape(name, SCHEMAS[name], input) as Input<Name>;
}

/** Checks an input as {@link checkInput} does, with another name and schema. */
export function checkShape<Schema extends TObject>(name: string, schema: Schema, input: unknown): Static<Schema> {
  if (!compileSchema(schema).Check(input)) throw misfit(name, schema, input);
  assertStorable(withoutUndefined(input as object), name);
  return input as Static<Schema>;
}

const checkers = new WeakMap<TObject, Validator>();

/** Returns the compiled schema, compiled at first use: interpreting it takes longer than the rest of a command. */
function compileSchema(schema: TObject): Validator {
  const known = checkers.get(schema) ?? Compile(schema);
  checkers.set(schema, known);
  return known;
}

function misfit(name: string, schema: TObject, input: unknown): Error {
  const [, errors] = Errors(schema, input);
  const faults = errors.filter(({ keyword }) => keyword !== "boolean");
  const texts = faults
    .slice(0, MAX_FAULTS)
    .map(
      ({ instancePath, message, params }) =>
        `${instancePath === "" ? "the input" : nameInline(instancePath)} ${message}${named(params)}`,
    );
  return continuityError("bad-input", {
    expected: `${name}(${Object.keys(schema.properties)
      .map((key) => (schema.required?.includes(key) ? key : `${key}?`))
      .join(", ")})`,
    found: texts.length === 0 ? valueInline(input) : texts.join("; "),
    todo: "Nothing was written.",
  });
}

function named(params: unknown): string {
  const names = Object.values((params ?? {}) as Record<string, unknown>)
    .filter((value) => Array.isArray(value))
    .flat();
  return names.length === 0
    ? ""
    : ` (${joinSome(
        names.map((name) => nameInline(String(name))),
        MAX_FAULTS,
      )})`;
}

function withoutUndefined(input: object): object {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}
