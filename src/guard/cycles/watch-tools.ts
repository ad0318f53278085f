import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import type { CycleLog } from "./cycle-log.ts";
import { logFailure } from "../base/log.ts";
import { agentMemory } from "../base/memory.ts";
import { isEarly, type Agent, type SessionManager } from "../openclaw/session.ts";
import { isEnabled } from "../base/switch.ts";
import type { StoredCalls } from "./stored-calls.ts";

type Execute = (callId: string, ...rest: unknown[]) => unknown;

/** The run to which a tool reports. */
interface Owner {
  log: CycleLog;
  stored: StoredCalls;
}

/** The owners by tool; a tool can outlive the agent that created it. */
const owners = new WeakMap<object, Owner>();

/**
 * Journals every tool call of an agent by its events. Since 2026.4.5 the agent waits for its listeners, so that events
 * are enough; in earlier releases events come late, and {@link watchTools} journals the calls first. Never throws.
 */
export function watchAgent(agent: Agent, log: CycleLog, manager: SessionManager | undefined): void {
  const memory = agentMemory(agent);
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
 * To be called before each model call. Wraps the tools that it offers, which are those that the agent runs afterwards,
 * so that in an early release each begins a call when the transcript holds the answer, and reports the call to the
 * journal. Does nothing in later releases, which wait themselves.
 */
export function watchTools(agent: Agent, owner: Owner, context: unknown): void {
  if (!isEarly(agent) || !isObject(context) || !Array.isArray(context.tools)) return;
  owner.stored.asked();
  for (const tool of context.tools as unknown[]) {
    if (!isObject(tool) || typeof tool.execute !== "function") continue;
    const isWrapped = owners.has(tool);
    owners.set(tool, owner);
    if (!isWrapped) watchTool(tool, tool.execute as Execute);
  }
}

function watchTool(tool: JsonObject, execute: Execute): void {
  const watching: Execute = function (this: unknown, callId, ...rest) {
    const owner = owners.get(tool);
    if (!isEnabled() || !owner?.log.knows(callId)) return execute.call(this, callId, ...rest);
    const { log, stored } = owner;
    const returned = (result: unknown): unknown => {
      attempt(() => recordResult(log, callId, result, false));
      return result;
    };
    const begin = (): unknown => {
      attempt(() => log.started(callId, tool.name, rest[0]));
      const outcome = execute.call(this, callId, ...rest);
      return outcome instanceof Promise ? outcome.then(returned) : returned(outcome);
    };
    return stored.until(callId)?.then(begin) ?? begin();
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
