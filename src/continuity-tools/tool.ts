import type { TObject } from "typebox";
import type { Json, Project } from "../continuity/index.ts";

/** An operation on a project's work as a tool of an agent, offered by the MCP server and the OpenClaw plugin. */
export interface ContinuityTool {
  readonly name: string;
  /** Title for people, in a few words. */
  readonly title: string;
  /** Description for the model. It names no other tool, because a host may have to rename tools. */
  readonly description: string;
  /** JSON Schema of the input, without the project. */
  readonly parameters: TObject;
  /** Whether the tool changes nothing. */
  readonly readOnly: boolean;
  /** Whether a repetition of the same call changes nothing more. */
  readonly idempotent: boolean;
  /**
   * Checks the input and runs the operation; resolves to a compact answer, never the whole state. Rejects with a
   * ContinuityError.
   */
  readonly run: (project: Project, input: unknown) => Promise<Json>;
}
