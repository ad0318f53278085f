import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { enterTravel, leaveTravel, MOVE_KIND, type TravellingSession, type WorkReader } from "../timetravel/index.ts";
import { agentOfKey } from "../store/sessions/session-coordinates.ts";
import { enabledWorkspace } from "../workspace/live.ts";
import type { PluginApi, ToolContext, ToolDefinition } from "./api.ts";
import { registerShared } from "./register.ts";
import { registerTravel, TRAVEL_TOOLS } from "./travel-tools.ts";

const ON = { enabled: true, files: false };
const KEY = "agent:main:one";
const nothing = (): void => undefined;

afterEach(() => {
  delete process.env["OPENCLAW_INTEGRITY"];
});

/** What is registered with a plugin API that runs nothing. */
function registered(pluginConfig: Record<string, unknown> = {}) {
  const factories: { make: (context: ToolContext) => readonly ToolDefinition[] | null; names: readonly string[] }[] =
    [];
  const hooks = new Map<string, Parameters<PluginApi["on"]>[1]>();
  const warnings: string[] = [];
  const api: PluginApi = {
    pluginConfig,
    logger: { info: nothing, warn: (text) => void warnings.push(text), error: nothing },
    registerService: nothing,
    registerCommand: nothing,
    registerTool: (make, { names }) => void factories.push({ make, names }),
    on: (hook, handler) => void hooks.set(hook, handler),
  };
  return { api, factories, hooks, warnings };
}

function toolsFor(sessionKey: string | undefined): readonly ToolDefinition[] | null {
  const { api, factories } = registered();
  registerTravel(api, ON);
  return factories[0]!.make(sessionKey === undefined ? {} : { sessionKey });
}

it("the tools are offered where they are turned on, under the names of the manifest, directly to the model, and not where everything is turned off", () => {
  const off = registered();
  registerTravel(off.api, { enabled: false, files: false });
  process.env["OPENCLAW_INTEGRITY"] = "off";
  registerTravel(off.api, ON);
  expect(off.factories).toEqual([]);
  delete process.env["OPENCLAW_INTEGRITY"];
  expect(toolsFor(KEY)!.map(({ name, catalogMode }) => [name, catalogMode])).toEqual(
    TRAVEL_TOOLS.map((name) => [name, "direct-only"]),
  );
  expect(toolsFor(undefined)).toBeNull();
});

it("without a run in a patched OpenClaw the agent is told what is missing; input of a wrong kind is told what was expected", async () => {
  const [tobe, timeline] = toolsFor(KEY)!;
  await expect(tobe!.execute("c", { target: "root", carryover_message: "x" })).rejects.toThrow(
    "an OpenClaw with the core patch",
  );
  const session: TravellingSession = {
    timeline: ({ most, before }) => ({
      head: before ?? null,
      nodes: [],
      more: most,
      branches: [],
      more_branches: 0,
      departures: [],
      checkpoints: [],
      names: [],
    }),
    mark: (name) => ({ name, id: "abcdef" }),
    request: (asked, note) => ({ intent: { intentId: "i", targetId: null, asked }, text: `soon, with ${note}` }),
    requestWithFiles: () => Promise.reject(new Error("not asked")),
  };
  enterTravel(KEY, session);
  try {
    expect(await tobe!.execute("c", { target: "root", carryover_message: "x" })).toEqual({
      content: [{ type: "text", text: "soon, with x" }],
      details: { kind: MOVE_KIND, intentId: "i", targetId: null, asked: "root" },
    });
    await expect(tobe!.execute("c", { carryover_message: "x" })).rejects.toThrow(
      "expected target as a text; found none",
    );
    await expect(tobe!.execute("c", { target: 7, carryover_message: "x" })).rejects.toThrow("found number");
    await expect(timeline!.execute("c", { limit: 0 })).rejects.toThrow("a whole number from 1 to 200; found 0");
    const asked = async (input: object): Promise<unknown> =>
      JSON.parse((await timeline!.execute("c", input)).content[0]!.text);
    expect(await asked({})).toMatchObject({ left_out: { places: 20 } });
    expect(await asked({ limit: 5, before: " abcd ", mark: "" })).toMatchObject({
      here: "abcd",
      left_out: { places: 5 },
    });
    const { content, details } = await timeline!.execute("c", { mark: "before-it" });
    expect([JSON.parse(content[0]!.text), details]).toEqual([
      expect.objectContaining({ marked: { name: "before-it", id: "abcdef" } }),
      { kind: "openclaw-integrity:mark", name: "before-it" },
    ]);
    await expect(timeline!.execute("c", { mark: 7 })).rejects.toThrow("expected mark as a text; found number");
    // A run that ends takes away what is its own only.
    leaveTravel(KEY, { ...session });
    await expect(timeline!.execute("c", null)).resolves.toBeDefined();
  } finally {
    leaveTravel(KEY, session);
  }
});

it("files: only where they are turned on and the workspace is known; what is asked reaches the run with the work of its conversation, and a guard that does not follow the conversation is said, not passed over", async () => {
  const work: WorkReader = () => Promise.reject(new Error("not moved"));
  const works = new Map<string, WorkReader>();
  const offered = (files: boolean, workspaceDir?: string): ToolDefinition => {
    const { api, factories } = registered();
    registerTravel(api, { enabled: true, files }, (key) => works.set(key, work).get(key));
    return factories[0]!.make({ sessionKey: KEY, ...(workspaceDir !== undefined && { workspaceDir }) })![0]!;
  };
  const parameters = (tool: ToolDefinition): string[] =>
    Object.keys((tool.parameters as { properties: object }).properties);
  expect([offered(false, "/w"), offered(true), offered(true, "/w")].map(parameters)).toEqual([
    ["target", "carryover_message"],
    ["target", "carryover_message"],
    ["target", "carryover_message", "files", "conflicts"],
  ]);
  expect(enabledWorkspace(KEY, undefined)).toBe("/w");
  // A conversation for which no tools were created: OpenClaw keeps them for all of an agent's.
  const agentId = agentOfKey(KEY);
  expect(enabledWorkspace(`agent:${agentId}:other`, agentId)).toBe("/w");
  expect(enabledWorkspace("agent:other:main", "other")).toBeUndefined();
  offered(true, "/elsewhere");
  expect(enabledWorkspace(KEY, agentId)).toBe("/elsewhere");
  expect(enabledWorkspace(`agent:${agentId}:other`, agentId)).toBeUndefined();
  offered(false, "/w");
  expect(enabledWorkspace(KEY, agentId)).toBeUndefined();
  const tobe = offered(true, "/w");
  const asked: unknown[] = [];
  const answer = { intent: { intentId: "i", targetId: null, asked: "root" }, text: "soon" };
  const notAsked = (): never => {
    throw new Error("not asked");
  };
  const session: TravellingSession = {
    timeline: notAsked,
    mark: notAsked,
    request: (...given) => (asked.push(given), answer),
    requestWithFiles: async (...given) => (asked.push(given), answer),
  };
  const move = { target: "root", carryover_message: "x" };
  enterTravel(KEY, session);
  await tobe.execute("c", { ...move, files: "restore", conflicts: "theirs" });
  await tobe.execute("c", { ...move, files: "keep" });
  expect(asked).toEqual([
    ["root", "x", "theirs", work],
    ["root", "x", work],
  ]);
  expect([...works]).toEqual([[KEY, work]]);
  await expect(tobe.execute("c", { ...move, files: "everything" })).rejects.toThrow("files as keep or restore");
  await expect(tobe.execute("c", { ...move, conflicts: 1 })).rejects.toThrow("conflicts as theirs or ours; found 1");
  leaveTravel(KEY, session);
  await expect(tobe.execute("c", { ...move, files: "restore" })).rejects.toThrow("none, or one of another version");
});

it("what fails in the timer behind a run is a line in the log: it ended OpenClaw's process", async () => {
  const { api, hooks, warnings } = registered();
  registerShared(api, "before_prompt_build");
  // This process is no OpenClaw, which is found out only when the plugin is used.
  hooks.get("agent_end")!({}, { sessionKey: KEY });
  await sleep(1_300);
  expect(warnings).toEqual([expect.stringContaining("a process of OpenClaw")]);
});
