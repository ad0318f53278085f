import { setTimeout as sleep } from "node:timers/promises";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { timeTravelError } from "../../timetravel/errors.ts";
import type { TravellingManager } from "./history.ts";

/** The messages after the last assistant message: tool results, and user messages queued since. */
export interface Batch {
  readonly results: readonly JsonObject[];
  readonly behind: readonly JsonObject[];
}

/** How long a release that stores messages late may take to store those of a batch. */
const TIMEOUT_MS = 5_000;
const PAUSE_MS = 5;

/** Returns the last batch in a list of messages. */
export function readLastBatch(messages: readonly unknown[]): Batch {
  const objects = messages.filter(isObject);
  const answer = objects.findLastIndex(({ role }) => role === "assistant");
  const said = objects.slice(answer + 1);
  return {
    results: said.filter(({ role }) => role === "toolResult"),
    behind: said.filter(({ role }) => role !== "toolResult"),
  };
}

/**
 * Waits until all messages of the batch are stored on the path: up to 2026.4 the agent does not wait until OpenClaw has
 * stored them. Throws a TimeTravelError (`not-closed`) when they are not stored in time, because a result that is
 * stored behind a move would be an orphan.
 */
export async function whenStored(manager: TravellingManager, { results, behind }: Batch): Promise<void> {
  const needed = [...results, ...behind];
  for (const end = performance.now() + TIMEOUT_MS; ; await sleep(PAUSE_MS)) {
    const missing = missingFrom(manager, needed);
    if (missing === 0) return;
    if (performance.now() > end) {
      throw timeTravelError("not-closed", {
        expected: "all results of the batch to be stored",
        found: `${missing} of ${needed.length} missing after ${TIMEOUT_MS / 1000} s`,
        todo: "Try again.",
      });
    }
  }
}

function missingFrom(manager: TravellingManager, needed: readonly JsonObject[]): number {
  const stored = manager
    .getBranch()
    .slice(-2 * needed.length - 20)
    .filter(isObject)
    .map(({ message }) => message)
    .filter(isObject);
  const storedMarks = (role: string): ReadonlySet<unknown> =>
    new Set(stored.filter((message) => message.role === role).map((message) => messageMark(message)));
  const known: Record<string, ReadonlySet<unknown>> = {
    toolResult: storedMarks("toolResult"),
    user: storedMarks("user"),
  };
  return needed.filter(
    (one) => (one.role === "toolResult" || one.role === "user") && !known[one.role]!.has(messageMark(one)),
  ).length;
}

/** Returns what identifies a message once it is stored: a result's call id, or the timestamp. */
function messageMark({ role, toolCallId, timestamp }: JsonObject): unknown {
  return role === "toolResult" ? toolCallId : timestamp;
}
