import { consoleLine } from "../../base/console-line.ts";
import { emit } from "../../observe/index.ts";

/** Where the guard's lines go: OpenClaw's own log takes up what is written to the console. */
const PREFIX = "[openclaw-integrity]";

/** Counts by kind as text: `displaced_tool_result 2, orphaned_tool_result 1`. */
export function countKinds(kinds: Iterable<string>): string {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, count]) => `${kind} ${count}`)
    .join(", ");
}

/** One line; never with anything of a conversation in it. */
export function logLine(text: string): void {
  consoleLine(`${PREFIX} ${text}`);
}

/**
 * Says that a part of the guard failed and what happened instead. The error's text could quote a conversation, its name
 * and place cannot.
 */
export function logFailure(part: string, error: unknown, instead: string): void {
  emit("l0:guard:failed", undefined, { kind: part });
  const name = error instanceof Error ? error.name : typeof error;
  const place = error instanceof Error ? placeOf(error) : undefined;
  logLine(`${part} failed (${name}${place === undefined ? "" : ` at ${place}`}); ${instead}`);
}

const FRAME = "\n    at ";

/**
 * The first frame of the stack, the file without its folder; undefined where there is none. What stands before the
 * frames is the error's text.
 */
function placeOf({ stack, message }: Error): string | undefined {
  if (typeof stack !== "string" || typeof message !== "string") return undefined;
  const begin = stack.indexOf(FRAME, Math.max(0, stack.indexOf(message)) + message.length);
  if (begin < 0) return undefined;
  const end = stack.indexOf("\n", begin + 1);
  const frame = stack.slice(begin + FRAME.length, end < 0 ? undefined : end);
  const slash = frame.lastIndexOf("/");
  return slash < 0 ? frame : frame.slice(0, frame.lastIndexOf(" ", slash) + 1) + frame.slice(slash + 1);
}
