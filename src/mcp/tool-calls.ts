import { type CallToolResult, ErrorCode, McpError, type Tool } from "@modelcontextprotocol/sdk/types.js";
import { nameInline } from "../base/quoted.ts";
import type { ContinuityTool } from "../continuity-tools/index.ts";
import { ContinuityError } from "../continuity/index.ts";
import type { Projects } from "./projects.ts";

const PROJECT_ID = {
  type: "string",
  minLength: 1,
  maxLength: 200,
  description: "The project that the work belongs to; projects know nothing of each other.",
} as const;
const MAKES_PROJECT = "create_goal";

/** A tool as MCP lists it; where all projects are reached, it takes a project_id first. */
export function listedTool(
  { name, title, description, parameters, readOnly, idempotent }: ContinuityTool,
  { only }: Projects,
): Tool {
  // A copy, because what typebox adds to a schema is no JSON.
  const {
    properties,
    required = [],
    ...schema
  } = JSON.parse(JSON.stringify(parameters)) as {
    type: "object";
    properties: Record<string, object>;
    required?: string[];
  };
  const inputSchema =
    only === undefined
      ? { ...schema, properties: { project_id: PROJECT_ID, ...properties }, required: ["project_id", ...required] }
      : { ...schema, properties, required };
  return {
    name,
    title,
    description,
    inputSchema,
    annotations: {
      title,
      readOnlyHint: readOnly,
      idempotentHint: idempotent,
      destructiveHint: false,
      openWorldHint: false,
    },
  };
}

/** Carries a call out. What the kernel refuses is an answer that the model can read; anything else is thrown. */
export async function callTool(
  tool: ContinuityTool,
  input: Readonly<Record<string, unknown>>,
  projects: Projects,
): Promise<CallToolResult> {
  try {
    const { project_id, ...fields } = input;
    const project = await projects.project(project_id, { mayMake: tool.name === MAKES_PROJECT });
    const answer = await tool.run(project, projects.only === undefined ? fields : input);
    return { content: [{ type: "text", text: JSON.stringify(answer) }] };
  } catch (error) {
    if (!(error instanceof ContinuityError)) throw error;
    return {
      isError: true,
      content: [{ type: "text", text: error.message }],
      _meta: { "openclaw-integrity/code": error.code },
    };
  }
}

/** The tool of that name. Throws the protocol's error. */
export function toolOf(tools: readonly ContinuityTool[], name: string): ContinuityTool {
  const found = tools.find((tool) => tool.name === name);
  if (!found)
    throw new McpError(
      ErrorCode.InvalidParams,
      `expected one of the tools ${tools.map((tool) => tool.name).join(", ")}; found ${nameInline(name)}. Nothing ` +
        "was done.",
    );
  return found;
}
