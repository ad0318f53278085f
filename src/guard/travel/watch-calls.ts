import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { isEnabled } from "../base/switch.ts";
import { logFailure } from "../base/log.ts";
import { type Agent, isEarly, loadedMessages, type GuardedSession } from "../openclaw/session.ts";
import type { RunFiles } from "./run-files.ts";

type Execute = (...given: unknown[]) => unknown;

/** The run files that each tool waits for. A tool can outlive the agent that created it. */
const owners = new WeakMap<object, RunFiles>();

/**
 * Makes each call of a run wait for the capture of the files before it: since 2026.4.5 the agent waits for its
 * listeners; in earlier releases the tools themselves do, see {@link holdTools}. The end of the run ends its last
 * batch, also when a person stopped it.
 */
export function watchCalls(session: GuardedSession, files: RunFiles): void {
  session.agent.subscribe?.(async (event) => {
    if (!isEnabled() || !isObject(event)) return;
    if (event.type === "tool_execution_start" && !isEarly(session.agent)) await files.beforeCall(event.toolName);
    if (event.type === "agent_end") await files.ended(loadedMessages(session) ?? []);
  });
}

/** Wraps the tools that a model call offers, where the agent does not wait for its listeners. */
export function holdTools(agent: Agent, files: RunFiles, context: unknown): void {
  if (!isEarly(agent) || !isObject(context) || !Array.isArray(context.tools)) return;
  for (const tool of context.tools as unknown[]) {
    if (!isObject(tool) || typeof tool.execute !== "function") continue;
    const isWrapped = owners.has(tool);
    owners.set(tool, files);
    if (!isWrapped) holdTool(tool, tool.execute as Execute);
  }
}

function holdTool(tool: JsonObject, execute: Execute): void {
  const held: Execute = async function (this: unknown, ...given) {
    if (isEnabled()) await owners.get(tool)?.beforeCall(tool.name);
    return execute.apply(this, given);
  };
  try {
    tool.execute = held;
  } catch (error) {
    logFailure("files", error, "the tool runs, and its changes count as someone else's");
  }
}
