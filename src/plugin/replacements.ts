import { branchOf } from "../health/branch.ts";
import type { Conversation } from "../health/index.ts";
import { mend } from "../health/mend.ts";
import type { JsonObject } from "../transcript/json.ts";
import { plainText } from "../transcript/text.ts";
import type { RepairStrategy } from "../transcript/repair.ts";
import type { Replacement } from "./context-engine.ts";

/**
 * A repair as OpenClaw's engines can make it: message for message. What a repair leaves out is said as text in its place, so that it is not lost.
 * Empty when there is nothing to do, and where messages would have to move or come in: that waits until nobody answers. Issue 6, item 1.
 */
export function replacementsOf({ path, messages }: Conversation, strategy: RepairStrategy): Replacement[] {
  const branch = branchOf(path, messages, mend(messages, strategy).messages);
  if (branch === undefined || branch.entries.some(({ source }) => source === undefined)) return [];
  const order = new Map(path.map(({ id }, at) => [id, at]));
  const places = branch.entries.map(({ source }) => order.get(source!.id) ?? -1);
  if (places.some((place, at) => at > 0 && place <= places[at - 1]!)) return [];
  const changed = branch.entries.filter(({ source, message }) => message !== undefined && message !== source!.message);
  const said = new Set(branch.entries.map(({ source }) => source!.id));
  const start = (order.get(branch.parentId) ?? -1) + 1;
  const leftOut = path.slice(start).filter(({ id, type }) => type === "message" && !said.has(id));
  return [...changed.map(({ source, message }) => ({ entryId: String(source!.id), message })), ...leftOut.map((entry) => ({ entryId: String(entry.id), message: asText(entry) }))];
}

function asText({ message }: JsonObject): unknown {
  const { role, content, toolName, timestamp } = message as JsonObject;
  const what = role === "toolResult" ? `result of a call of ${String(toolName ?? "a tool")} that is not stored` : "message that could not be read";
  return { role: "user", content: [{ type: "text", text: `[${what}] ${plainText(content)}`.trim() }], ...(timestamp !== undefined && { timestamp }) };
}
