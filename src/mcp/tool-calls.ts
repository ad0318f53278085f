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
const CREATES_PROJECT = "create_goal";

/** Returns a tool as MCP lists it; when several projects are reached, its first argument is project_id. */
export function listedTool(
  { name, title, description, parameters, readOnly, idempotent }: ContinuityTool,
  { only }: Projects,
): Tool {
  // A copy, because typebox adds properties to a schema that are not JSON.
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

/** Runs a tool. A refusal of the kernel becomes an answer that the model can read; other errors are thrown. */
export async function callTool(
  tool: ContinuityTool,
  input: Readonly<Record<string, unknown>>,
  projects: Projects,
): Promise<CallToolResult> {
  try {
    const { project_id, ...fields } = input;
    const project = await projects.project(project_id, { mayCreate: tool.name === CREATES_PROJECT });
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

/** Returns the tool of that name. Throws the protocol's error when there is none. */
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
