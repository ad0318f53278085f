import type { TObject } from "typebox";
import type { Json, Project } from "../continuity/index.ts";

/** An operation on a project's work as an agent's tool: what the MCP server and the OpenClaw plugin offer. */
export interface ContinuityTool {
  readonly name: string;
  /** For people, in a few words. */
  readonly title: string;
  /** For the model. Names no other tool, because a host may have to give them other names. */
  readonly description: string;
  /** JSON Schema of the input, without the project. */
  readonly parameters: TObject;
  /** It changes nothing. */
  readonly readOnly: boolean;
  /** The same call again changes nothing more. */
  readonly idempotent: boolean;
  /** Checks the input and carries it out; a compact answer, never the whole state. Throws a ContinuityError. */
  readonly run: (project: Project, input: unknown) => Promise<Json>;
}
