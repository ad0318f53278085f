import { getEncoding } from "js-tiktoken";
import { describe, expect, test } from "vitest";
import { Continuity, openSqliteStore } from "../../src/continuity/index.ts";
import { LeaseKeeper, stepTool, TOOLS_COST, workTools } from "../../src/continuity-tools/index.ts";
import { Projects } from "../../src/mcp/projects.ts";
import { listedTool } from "../../src/mcp/tool-calls.ts";
import { TOOL_NAMES } from "../../src/continuity-tools/project-name.ts";
import { toolsFor } from "../../src/plugin/continuity/tools.ts";

const encoding = getEncoding("o200k_base");
const tokens = (sent: unknown): number => encoding.encode(JSON.stringify(sent)).length;
const leases = new LeaseKeeper();

describe("the tools of recorded work, which every request of every conversation carries", () => {
  test("do not grow beyond what the installer and the documents say, in OpenClaw", () => {
    const sent = toolsFor(() => Promise.reject(new Error("no project is asked for")), leases, { staleAfterMs: 1 }).map(
      ({ name, description, parameters }) => ({ name, description, parameters }),
    );
    expect(sent.map(({ name }) => name)).toEqual(TOOL_NAMES);
    expect(sent).toHaveLength(TOOLS_COST.tools);
    expect(tokens(sent)).toBeLessThanOrEqual(TOOLS_COST.tokens);
    // Nor is what is said far from what is taken.
    expect(tokens(sent)).toBeGreaterThan(TOOLS_COST.tokens - 50);
    expect(JSON.stringify(sent)).not.toMatch(/command_id|fencing_token|step_type/);
  });

  test("take no more over MCP, and a tenth more where each call names its project", async () => {
    const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
    const sent = (only?: string): object[] => {
      const projects = new Projects(continuity, () => ({ entry: "mcp", name: "test" }), only);
      return [...workTools(), stepTool(leases)]
        .map((tool) => listedTool(tool, projects))
        .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    };
    expect(tokens(sent("p"))).toBeLessThanOrEqual(TOOLS_COST.tokens);
    expect(tokens(sent())).toBeLessThanOrEqual(TOOLS_COST.tokens * 1.1);
    await continuity.close();
  });
});
