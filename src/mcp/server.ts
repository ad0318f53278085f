import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { type LeaseKeeper, stepTool, workTools } from "../continuity-tools/index.ts";
import { nameInline } from "../base/quoted.ts";
import { authorBy, type Continuity, type Metrics } from "../continuity/index.ts";
import { PRODUCER_VERSION } from "../continuity/base/version.ts";
import { METRICS_URI, readMetrics } from "./metrics.ts";
import { Projects } from "./projects.ts";
import { callTool, listedTool, requireTool } from "./tool-calls.ts";
import {
  briefingText,
  listedPrompt,
  listedResources,
  listedTemplates,
  PROMPT_NAME,
  readBriefing,
} from "./where-were-we.ts";

/** Options of the MCP server. */
export interface ServerOptions {
  readonly continuity: Continuity;
  /** Leases for the steps; the caller releases them. */
  readonly leases: LeaseKeeper;
  /**
   * The only project that is reached; without it every call names its project, and those of OpenClaw's agents are not
   * reached.
   */
  readonly project_id?: string | undefined;
  /** What the kernel has measured; readable as the resource `continuity://metrics`. */
  readonly metrics?: Metrics | undefined;
  /** Called with the promise of each request to the store as it begins: stdio.ts reads no more input while many run. */
  readonly onCall?: (call: Promise<unknown>) => void;
}

/** What a client tells its model about the server. */
const INSTRUCTIONS =
  "Keeps unfinished work over conversations and restarts: goals, tasks, where each was left off, and the one next " +
  "step. At the beginning of a conversation call get_work. Record work the user has asked for with create_goal and " +
  "add_task. With update_task say doing before you begin, where_we_left_off and next_step after each finished piece " +
  "and before you stop, and blocked, done or dropped when it is so. Around an action that must not happen twice call " +
  "step. Nothing about the state of work is ever guessed: the answers come from the record alone.";

/**
 * Returns an MCP server that offers the work as tools, and the briefing as a prompt and a resource. The caller connects
 * it to a transport.
 */
export function continuityServer({
  continuity,
  leases,
  project_id,
  metrics,
  onCall = () => undefined,
}: ServerOptions): Server {
  const tools = [...workTools(), stepTool(leases)];
  const server = new Server(
    { name: "openclaw-integrity-continuity", version: PRODUCER_VERSION },
    { capabilities: { tools: {}, prompts: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  const projects = new Projects(continuity, () => authorBy("mcp", server.getClientVersion()?.name), project_id);
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map((tool) => listedTool(tool, projects)) }));
  const observed = <Answer>(call: Promise<Answer>): Promise<Answer> => {
    onCall(call);
    return call;
  };
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    observed(callTool(requireTool(tools, params), params.arguments ?? {}, projects, leases)),
  );
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [listedPrompt(projects)] }));
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }) => {
    if (params.name !== PROMPT_NAME)
      throw new McpError(
        ErrorCode.InvalidParams,
        `expected the prompt ${PROMPT_NAME}; found ${nameInline(params.name)}.`,
      );
    return {
      messages: [
        {
          role: "user",
          content: { type: "text", text: await observed(briefingText(projects, params.arguments?.["project_id"])) },
        },
      ],
    };
  });
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({
    resources: await observed(listedResources(projects)),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: listedTemplates(projects),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) =>
    // Metrics are in memory: no request to the store.
    metrics && params.uri === METRICS_URI ? readMetrics(metrics) : observed(readBriefing(projects, params.uri)),
  );
  return server;
}
