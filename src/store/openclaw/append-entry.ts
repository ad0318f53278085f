/** Appends copies of entries through OpenClaw's session manager. */
import type { JsonObject } from "../../transcript/json/json.ts";

/** The part of OpenClaw's session manager that moves the leaf. */
export interface LeafMover {
  branch(entryId: string): void;
  resetLeaf(): void;
}

/**
 * The part of OpenClaw's session manager that appends entries. Other append methods are looked up by name, since not
 * every release has all of them.
 */
export interface EntryWriter {
  appendMessage(message: unknown, options?: object): string;
  getLeafId?(): string | null;
}

/**
 * How an entry of one type is appended again: the session manager's method and its arguments. `renamed` returns the new
 * id of an entry that the appended one names.
 */
interface Method {
  readonly name: string;
  readonly makeArguments: (
    entry: JsonObject,
    renamed: (id: unknown) => string,
    manager: EntryWriter,
  ) => readonly unknown[];
}

const METHODS: Readonly<Record<string, Method>> = {
  thinking_level_change: { name: "appendThinkingLevelChange", makeArguments: ({ thinkingLevel }) => [thinkingLevel] },
  model_change: { name: "appendModelChange", makeArguments: ({ provider, modelId }) => [provider, modelId] },
  custom: { name: "appendCustomEntry", makeArguments: ({ customType, data }) => [customType, data] },
  custom_message: {
    name: "appendCustomMessageEntry",
    makeArguments: ({ customType, content, display, details }) => [customType, content, display, details],
  },
  session_info: { name: "appendSessionInfo", makeArguments: ({ name }) => [name] },
  label: { name: "appendLabelChange", makeArguments: ({ targetId, label }, renamed) => [renamed(targetId), label] },
  branch_summary: {
    name: "branchWithSummary",
    makeArguments: ({ summary, details, fromHook }, _renamed, manager) => [
      manager.getLeafId?.() ?? null,
      summary,
      details,
      fromHook,
    ],
  },
  compaction: {
    name: "appendCompaction",
    makeArguments: (
      { summary, firstKeptEntryId, tokensBefore, details, fromHook, __openclaw: identity, tokensAfter },
      renamed,
    ) => [summary, renamed(firstKeptEntryId), tokensBefore, details, fromHook, identity, tokensAfter],
  },
  reset: {
    name: "appendResetBoundary",
    makeArguments: ({ reason, firstKeptEntryId }, renamed) => [
      String(reason),
      firstKeptEntryId === undefined ? undefined : renamed(firstKeptEntryId),
    ],
  },
};

/** Whether an entry of this type can be appended again. */
export function canAppend({ type }: JsonObject): boolean {
  return type === "message" || Object.hasOwn(METHODS, String(type));
}

/** Moves the leaf, so that the next entry is appended after this one, or, for null, as a new first entry. */
export function goTo(manager: LeafMover, entryId: string | null): void {
  if (entryId === null) manager.resetLeaf();
  else manager.branch(entryId);
}

/** {@link appendEntry} without waiting, for use in a transaction; not for changes of model or thinking level. */
export function appendNow(
  manager: EntryWriter,
  entry: JsonObject,
  message: unknown,
  ids: ReadonlyMap<string, string>,
): string {
  return String(appended(manager, entry, message, ids));
}

/**
 * Appends a copy of an entry after the leaf of OpenClaw's session manager and returns the new id. `message` replaces
 * the message of a message entry; `ids` maps entry ids that the copy refers to. Rejects with a TypeError when this
 * release lacks the method.
 */
export async function appendEntry(
  manager: EntryWriter,
  entry: JsonObject,
  message: unknown,
  ids: ReadonlyMap<string, string>,
): Promise<string> {
  return String(await appended(manager, entry, message, ids));
}

function appended(
  manager: EntryWriter,
  entry: JsonObject,
  message: unknown,
  ids: ReadonlyMap<string, string>,
): unknown {
  if (entry.type === "message") {
    // OpenClaw replaces this method on the instance by one that answers open calls; here every call is followed by its
    // own result, so the original is called.
    const raw = (Object.getPrototypeOf(manager) as EntryWriter).appendMessage;
    return raw.call(manager, message, { idempotencyLookup: "caller-checked" });
  }
  const { name, makeArguments } = METHODS[String(entry.type)]!;
  const call = (manager as unknown as Record<string, ((...values: unknown[]) => unknown) | undefined>)[name];
  if (!call) throw new TypeError(`expected a session manager with ${name}, found none.`);
  return call.apply(manager, [...makeArguments(entry, (id) => ids.get(String(id)) ?? String(id), manager)]);
}
