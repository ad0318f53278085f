import {
  type CallToolRequest,
  type CallToolResult,
  ErrorCode,
  McpError,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import { jsonInline, nameInline } from "../base/quoted.ts";
import type { ContinuityTool, LeaseKeeper } from "../continuity-tools/index.ts";
import { ContinuityError } from "../continuity/index.ts";
import type { Projects } from "./projects.ts";

const PROJECT_ID = { type: "string" } as const;

const CREATES_PROJECT = "create_goal";

/** Returns a tool as MCP lists it; when several projects are reached, its first argument is project_id. */
export function listedTool(
  { name, title, description, parameters, readOnly, idempotent }: ContinuityTool,
  { only }: Projects,
): Tool {
  const {
    properties,
    required = [],
    ...schema
  } = parameters as unknown as {
    type: "object";
    properties: Record<string, object>;
    required?: string[];
  };
  const needed = only === undefined ? ["project_id", ...required] : required;
  const inputSchema = {
    ...schema,
    properties: only === undefined ? { project_id: PROJECT_ID, ...properties } : properties,
    ...(needed.length === 0 ? {} : { required: needed }),
  };
  return {
    name,
    title,
    description,
    inputSchema,
    annotations: {
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
  leases: LeaseKeeper,
): Promise<CallToolResult> {
  try {
    const { project_id, ...fields } = input;
    const project = await projects.project(project_id, { mayCreate: tool.name === CREATES_PROJECT });
    await leases.used(project);
    const answer = await tool.run(project, projects.only === undefined ? fields : input);
    return { content: [{ type: "text", text: jsonInline(answer) }] };
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
export function requireTool(tools: readonly ContinuityTool[], { name }: CallToolRequest["params"]): ContinuityTool {
  const found = tools.find((tool) => tool.name === name);
  if (!found)
    throw new McpError(
      ErrorCode.InvalidParams,
      `expected one of the tools ${tools.map((tool) => tool.name).join(", ")}; found ${nameInline(name)}. Nothing ` +
        "was done.",
    );
  return found;
}
