import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import type { CycleLog } from "./cycle-log.ts";
import { logFailure } from "../base/log.ts";
import { agentMemoryOf } from "../base/memory.ts";
import type { Agent, SessionManager } from "../openclaw/session.ts";
import { isEnabled } from "../base/switch.ts";

type Execute = (callId: string, ...rest: unknown[]) => unknown;

/** Which CycleLog a tool reports to. A tool can outlive the agent that created it. */
const owners = new WeakMap<object, CycleLog>();

/**
 * Journals every tool call of an agent by its events. Since 2026.4.5 the agent waits for its listeners, so that events
 * are enough; in earlier releases events come late, and {@link watchTools} journals the calls first. Never throws.
 */
export function watchAgent(agent: Agent, log: CycleLog, manager: SessionManager | undefined): void {
  const memory = agentMemoryOf(agent);
  if (typeof agent.subscribe !== "function" || memory.isWatched) return;
  memory.isWatched = true;
  agent.subscribe((event) => {
    if (!isEnabled() || !isObject(event)) return;
    try {
      if (event.type === "agent_end") log.ended(manager);
      if (typeof event.toolCallId !== "string") return;
      if (event.type === "tool_execution_start") log.started(event.toolCallId, event.toolName, event.args);
      else if (event.type === "tool_execution_end")
        recordResult(log, event.toolCallId, event.result, event.isError === true);
    } catch (error) {
      logFailure("journal", error, "the tool continues");
    }
  });
}

/**
 * Wraps the tools that a model call offers, which are those that the agent runs afterwards, so that in an early release
 * each reports its own calls to the journal. Does nothing in later releases.
 */
export function watchTools(agent: Agent, log: CycleLog, context: unknown): void {
  if (!isEarly(agent) || !isObject(context) || !Array.isArray(context.tools)) return;
  for (const tool of context.tools as unknown[]) {
    if (!isObject(tool) || typeof tool.execute !== "function") continue;
    const known = owners.has(tool);
    owners.set(tool, log);
    if (!known) watchTool(tool, tool.execute as Execute);
  }
}

/** True up to 2026.4.2, by a method that was removed when the agent began to wait for its listeners. */
function isEarly(agent: Agent): boolean {
  return typeof agent.replaceMessages === "function";
}

function watchTool(tool: JsonObject, execute: Execute): void {
  const watching: Execute = function (this: unknown, callId, ...rest) {
    const log = owners.get(tool);
    if (!isEnabled() || !log?.knows(callId)) return execute.call(this, callId, ...rest);
    attempt(() => log.started(callId, tool.name, rest[0]));
    const returned = (result: unknown): unknown => {
      attempt(() => recordResult(log, callId, result, false));
      return result;
    };
    const outcome = execute.call(this, callId, ...rest);
    return outcome instanceof Promise ? outcome.then(returned) : returned(outcome);
  };
  try {
    tool.execute = watching;
  } catch (error) {
    logFailure("journal", error, "the tool runs, but its calls are not journalled");
  }
}

function attempt(write: () => void): void {
  try {
    write();
  } catch (error) {
    logFailure("journal", error, "the tool continues");
  }
}

function recordResult(log: CycleLog, callId: string, result: unknown, isError: boolean): void {
  const { content = [], details } = isObject(result) ? result : {};
  log.returned(
    callId,
    { content, isError, ...(details !== undefined && { details }) },
    isError ? { isError, result } : result,
  );
}
