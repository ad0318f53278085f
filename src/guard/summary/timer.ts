import { executionAsyncResource } from "node:async_hooks";
import { isObject, isPositive } from "../../transcript/json/json.ts";

/**
 * Returns the time, in milliseconds, for which the timer was set whose callback runs now; undefined outside of one.
 * That is how a stop that a timer makes is told from one of a person, which comes with a message. Node has no public
 * name for that time, and the timer is set by OpenClaw before the guard sees the compaction.
 */
export function timerNow(): number | undefined {
  const resource: unknown = executionAsyncResource();
  if (!isObject(resource) || typeof resource.refresh !== "function") return undefined;
  const { _idleTimeout: set } = resource;
  return isPositive(set) ? set : undefined;
}
