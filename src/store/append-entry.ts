import type { JsonObject } from "../transcript/json.ts";

/** What OpenClaw's session manager appends the entries of a branch with. */
export interface EntryWriter {
  appendMessage(message: unknown, options?: object): string;
  appendCompaction(...fields: unknown[]): string;
  appendResetBoundary?(reason: string, firstKeptEntryId?: string): string;
  getLeafId?(): string | null;
  branchWithSummary?(fromId: string | null, ...fields: unknown[]): string;
}

/** Entries that stand in the transcript and are not in the context; each with the method that appends it and its arguments. */
const SIMPLE: Record<string, { method: string; fields: readonly string[] }> = {
  thinking_level_change: { method: "appendThinkingLevelChange", fields: ["thinkingLevel"] },
  model_change: { method: "appendModelChange", fields: ["provider", "modelId"] },
  custom: { method: "appendCustomEntry", fields: ["customType", "data"] },
  custom_message: { method: "appendCustomMessageEntry", fields: ["customType", "content", "display", "details"] },
  session_info: { method: "appendSessionInfo", fields: ["name"] },
};

const KNOWN = new Set([...Object.keys(SIMPLE), "message", "branch_summary", "compaction", "reset", "label"]);

/** Whether an entry can be said again in a branch. */
export function canAppend({ type }: JsonObject): boolean {
  return KNOWN.has(String(type));
}

/** {@link appendEntry} for a transaction, which cannot wait; for all entries but changes of model and of thinking level. */
export function appendNow(manager: EntryWriter, entry: JsonObject, message: unknown, ids: ReadonlyMap<string, string>): string {
  return String(appended(manager, entry, message, ids));
}

/**
 * Says an entry again behind the leaf of OpenClaw's session manager; its new id. `message` stands in the place of that of an entry that is one;
 * `ids` has the new ids of entries that others name. Rejects with a TypeError when this release has no way to.
 */
export async function appendEntry(manager: EntryWriter, entry: JsonObject, message: unknown, ids: ReadonlyMap<string, string>): Promise<string> {
  return String(await appended(manager, entry, message, ids));
}

function appended(manager: EntryWriter, entry: JsonObject, message: unknown, ids: ReadonlyMap<string, string>): unknown {
  const renamed = (id: unknown): string => ids.get(String(id)) ?? String(id);
  if (entry.type === "message") {
    // OpenClaw puts a function of its own over it that answers open calls; here every call is followed by its own result.
    const raw = (Object.getPrototypeOf(manager) as EntryWriter).appendMessage;
    return raw.call(manager, message, { idempotencyLookup: "caller-checked" });
  }
  if (entry.type === "compaction") {
    const { summary, firstKeptEntryId, tokensBefore, details, fromHook, __openclaw: identity, tokensAfter } = entry;
    return manager.appendCompaction(summary, renamed(firstKeptEntryId), tokensBefore, details, fromHook, identity, tokensAfter);
  }
  if (entry.type === "reset" && manager.appendResetBoundary) {
    const { reason, firstKeptEntryId } = entry;
    return manager.appendResetBoundary(String(reason), firstKeptEntryId === undefined ? undefined : renamed(firstKeptEntryId));
  }
  if (entry.type === "branch_summary" && manager.branchWithSummary) {
    const { summary, details, fromHook } = entry;
    return manager.branchWithSummary(manager.getLeafId?.() ?? null, summary, details, fromHook);
  }
  const { method, fields } = entry.type === "label" ? { method: "appendLabelChange", fields: [] } : (SIMPLE[String(entry.type)] ?? { method: "branchWithSummary", fields: [] });
  const call = (manager as unknown as Record<string, ((...given: unknown[]) => unknown) | undefined>)[method];
  if (!call) throw new TypeError(`expected a session manager with ${method}, found none.`);
  const given = entry.type === "label" ? [renamed(entry.targetId), entry.label] : fields.map((field) => entry[field]);
  return call.apply(manager, given);
}
