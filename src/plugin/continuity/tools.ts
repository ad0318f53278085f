import { jsonInline } from "../../base/quoted.ts";
import type { CallsOf, Project } from "../../continuity/index.ts";
import { type ContinuityTool, type LeaseKeeper, stepTool, workTools } from "../../continuity-tools/index.ts";
import type { ToolDefinition } from "../api.ts";
import { TOOL_PREFIX } from "../../continuity-tools/project-name.ts";

/** Returns the tools of one conversation for OpenClaw. An error of the kernel is the tool's error result. */
export function toolsFor(
  project: () => Promise<Project>,
  leases: LeaseKeeper,
  { staleAfterMs, calls }: { readonly staleAfterMs: number; readonly calls?: CallsOf | undefined },
): readonly ToolDefinition[] {
  return [...workTools({ staleAfterMs, calls }), stepTool(leases, { calls })].map((tool) =>
    defineTool(tool, project, leases),
  );
}

function defineTool(
  { name, title, description, parameters, run }: ContinuityTool,
  project: () => Promise<Project>,
  leases: LeaseKeeper,
): ToolDefinition {
  return {
    name: TOOL_PREFIX + name,
    label: title,
    description,
    parameters,
    catalogMode: "direct-only",
    execute: async (callId, input) => {
      const recorded = await project();
      await leases.used(recorded);
      const answer = await run(recorded, input, callId);
      return { content: [{ type: "text", text: jsonInline(answer) }], details: answer };
    },
  };
}
