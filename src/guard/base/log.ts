import { consoleLine } from "../../base/console-line.ts";
import { emit } from "../../observe/index.ts";

/** Begins each line of the guard; OpenClaw copies console output into its own log. */
const PREFIX = "[openclaw-integrity]";

/** Formats counts by kind, sorted: `displaced_tool_result 2, orphaned_tool_result 1`. */
export function countKinds(kinds: Iterable<string>): string {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, count]) => `${kind} ${count}`)
    .join(", ");
}

/** Logs one line. Callers never pass text of a conversation. */
export function logLine(text: string): void {
  consoleLine(`${PREFIX} ${text}`);
}

/**
 * Logs that a part of the guard failed and what happens instead. Names the error's class and place, not its message,
 * which could quote a conversation.
 */
export function logFailure(part: string, error: unknown, instead: string): void {
  emit("l0:guard:failed", undefined, { kind: part });
  const name = error instanceof Error ? error.name : typeof error;
  const place = error instanceof Error ? callSite(error) : undefined;
  logLine(`${part} failed (${name}${place === undefined ? "" : ` at ${place}`}); ${instead}`);
}

const FRAME = "\n    at ";

/**
 * Returns the first frame of the stack, with the file name but not its folder; undefined where there is none. The text
 * before the frames is the error's message and is skipped.
 */
function callSite({ stack, message }: Error): string | undefined {
  if (typeof stack !== "string" || typeof message !== "string") return undefined;
  const begin = stack.indexOf(FRAME, Math.max(0, stack.indexOf(message)) + message.length);
  if (begin < 0) return undefined;
  const end = stack.indexOf("\n", begin + 1);
  const frame = stack.slice(begin + FRAME.length, end < 0 ? undefined : end);
  const slash = frame.lastIndexOf("/");
  return slash < 0 ? frame : frame.slice(0, frame.lastIndexOf(" ", slash) + 1) + frame.slice(slash + 1);
}
