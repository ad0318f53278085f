import type { JsonObject } from "../../transcript/json/json.ts";

/** What moves the place behind which OpenClaw's session manager appends. */
export interface LeafMover {
  branch(entryId: string): void;
  resetLeaf(): void;
}

/** What OpenClaw's session manager appends the entries of a branch with. What a release does not have is missing. */
export interface EntryWriter {
  appendMessage(message: unknown, options?: object): string;
  getLeafId?(): string | null;
}

/**
 * What an entry is said again with: the manager's method and its arguments; `renamed` gives the new id of an entry that
 * is named.
 */
interface Method {
  readonly name: string;
  readonly given: (entry: JsonObject, renamed: (id: unknown) => string, manager: EntryWriter) => readonly unknown[];
}

const METHODS: Readonly<Record<string, Method>> = {
  thinking_level_change: { name: "appendThinkingLevelChange", given: ({ thinkingLevel }) => [thinkingLevel] },
  model_change: { name: "appendModelChange", given: ({ provider, modelId }) => [provider, modelId] },
  custom: { name: "appendCustomEntry", given: ({ customType, data }) => [customType, data] },
  custom_message: {
    name: "appendCustomMessageEntry",
    given: ({ customType, content, display, details }) => [customType, content, display, details],
  },
  session_info: { name: "appendSessionInfo", given: ({ name }) => [name] },
  label: { name: "appendLabelChange", given: ({ targetId, label }, renamed) => [renamed(targetId), label] },
  branch_summary: {
    name: "branchWithSummary",
    given: ({ summary, details, fromHook }, _renamed, manager) => [
      manager.getLeafId?.() ?? null,
      summary,
      details,
      fromHook,
    ],
  },
  compaction: {
    name: "appendCompaction",
    given: (
      { summary, firstKeptEntryId, tokensBefore, details, fromHook, __openclaw: identity, tokensAfter },
      renamed,
    ) => [summary, renamed(firstKeptEntryId), tokensBefore, details, fromHook, identity, tokensAfter],
  },
  reset: {
    name: "appendResetBoundary",
    given: ({ reason, firstKeptEntryId }, renamed) => [
      String(reason),
      firstKeptEntryId === undefined ? undefined : renamed(firstKeptEntryId),
    ],
  },
};

/** Whether an entry can be said again in a branch. */
export function canAppend({ type }: JsonObject): boolean {
  return type === "message" || Object.hasOwn(METHODS, String(type));
}

/** Lets what is appended next stand behind this entry, or, for null, before all of them. */
export function goTo(manager: LeafMover, entryId: string | null): void {
  if (entryId === null) manager.resetLeaf();
  else manager.branch(entryId);
}

/**
 * {@link appendEntry} for a transaction, which cannot wait; for all entries but changes of model and of thinking level.
 */
export function appendNow(
  manager: EntryWriter,
  entry: JsonObject,
  message: unknown,
  ids: ReadonlyMap<string, string>,
): string {
  return String(appended(manager, entry, message, ids));
}

/**
 * Says an entry again behind the leaf of OpenClaw's session manager; its new id. `message` stands in the place of that
 * of an entry that is one; `ids` has the new ids of entries that others name. Rejects with a TypeError when this
 * release has no way to.
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
    // OpenClaw puts a function of its own over it that answers open calls; here every call is followed by its own
    // result.
    const raw = (Object.getPrototypeOf(manager) as EntryWriter).appendMessage;
    return raw.call(manager, message, { idempotencyLookup: "caller-checked" });
  }
  const { name, given } = METHODS[String(entry.type)]!;
  const call = (manager as unknown as Record<string, ((...values: unknown[]) => unknown) | undefined>)[name];
  if (!call) throw new TypeError(`expected a session manager with ${name}, found none.`);
  return call.apply(manager, [...given(entry, (id) => ids.get(String(id)) ?? String(id), manager)]);
}
