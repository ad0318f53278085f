import type { Static, TObject } from "typebox";
import type { Json, Project } from "../continuity/index.ts";
import { endText } from "../continuity/base/holder.ts";
import { checkShape } from "../continuity/steps/inputs.ts";

/** An operation on a project's work as a tool of an agent, offered by the MCP server and the OpenClaw plugin. */
export interface ContinuityTool {
  readonly name: string;
  /** Title for people, in a few words. */
  readonly title: string;
  /** Description for the model. It names no other tool, because a host may have to rename tools. */
  readonly description: string;
  /**
   * JSON Schema of the input, without the project. Limits are left out: a model is told of them when it exceeds one.
   */
  readonly parameters: TObject;
  /** Whether the tool changes nothing. */
  readonly readOnly: boolean;
  /** Whether a repetition of the same call changes nothing more. */
  readonly idempotent: boolean;
  /**
   * Checks the input and runs the operation; resolves to a compact answer, never the whole state. Rejects with a
   * ContinuityError. `call_id` is the id of the call, where its host journals tool calls.
   */
  readonly run: (project: Project, input: unknown, call_id?: string) => Promise<Json>;
}

/** A tool before its input is checked. */
interface Definition<Schema extends TObject> extends Omit<ContinuityTool, "parameters" | "readOnly" | "run"> {
  readonly parameters: Schema;
  readonly readOnly?: boolean;
  readonly answer: (project: Project, input: Static<Schema>, call_id: string | undefined) => Promise<Json>;
}

/** Returns a tool that rejects inputs that do not fit its schema. */
export function tool<Schema extends TObject>({
  answer,
  readOnly = false,
  ...rest
}: Definition<Schema>): ContinuityTool {
  const { name, parameters } = rest;
  return {
    ...rest,
    parameters: withoutLimits(parameters),
    readOnly,
    run: async (project, input, call_id) => {
      const fields = checkShape(name, parameters, given(input));
      await project.keepClaims();
      return withEnds(project, await answer(project, fields, call_id));
    },
  };
}

/** Returns the answer with the ends of claims of which the agent was not told. */
async function withEnds(project: Project, answer: Json): Promise<Json> {
  const ends = await project.toldEnds();
  return ends.length === 0 ? answer : { claims: ends.map(endText), ...(answer as { readonly [key: string]: Json }) };
}

/** Returns the input without the fields that are null: some models fill in every field. */
function given(input: unknown): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input ?? {};
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

const LIMITS: ReadonlySet<string> = new Set([
  "minLength",
  "maxLength",
  "pattern",
  "minimum",
  "maximum",
  "maxItems",
  "additionalProperties",
]);

/** Returns a schema of a few levels without its limits: every request of every conversation carries the definitions. */
function withoutLimits<Schema extends TObject>(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema, (key, value: unknown) => (LIMITS.has(key) ? undefined : value))) as Schema;
}
