import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import type { SessionManager } from "../openclaw/session.ts";

/** True where a session was compacted, and nothing has been answered since. */
export function isJustCompacted(manager: SessionManager | undefined): boolean {
  const entry = manager
    ?.getBranch?.()
    .findLast((each) => isObject(each) && (each.type === "compaction" || isAnswer(each)));
  return isObject(entry) && entry.type === "compaction";
}

function isAnswer({ message }: JsonObject): boolean {
  return isObject(message) && message.role === "assistant" && message.stopReason !== "error";
}

/** The id of the newest compaction on a session's path. */
export function newestCompaction(manager: SessionManager | undefined): unknown {
  const entry = manager?.getBranch?.().findLast((each) => isObject(each) && each.type === "compaction");
  return isObject(entry) ? entry.id : undefined;
}
