import { readFileSync, statSync } from "node:fs";
import { copyTranscript } from "../store/archives/archive-copy.ts";
import type { Draft } from "../base/files/index.ts";
import { unlessRefused, withDraft } from "../store/archives/durable-file.ts";
import { newEntryId } from "../store/sessions/entry-id.ts";
import { storeError } from "../store/errors.ts";
import { readFileRows } from "../store/catalog/files.ts";
import type { SessionSummary, StoredRows } from "../store/catalog/summary.ts";
import { withLock } from "../store/openclaw/openclaw-lock.ts";
import { readableRow } from "../transcript/entries.ts";
import type { KnownOutcome } from "../transcript/interrupted.ts";
import { isObject, toJson, type JsonObject } from "../transcript/json/json.ts";
import type { RepairStrategy } from "../transcript/repair.ts";
import { branchOf, type Branch } from "./branch.ts";
import { conversationOf, examine, type Conversation, type Examination } from "./examine.ts";
import { mend, type Mended } from "./mend.ts";

const LINE_FEED = 10;
/** Fields of a row that name another row. */
const REFERENCES = ["firstKeptEntryId", "targetId"] as const;

/** A transcript file that was repaired. */
export interface RepairedFile {
  after: Examination;
  mended: Mended;
  /** A copy of the file as it was; `sessions restore` brings it back. */
  archive: string;
}

/**
 * Repairs a transcript file: rows that cannot be loaded are put right, lines that are no JSON go, and a conversation
 * with faults goes on in a branch without them; what it was stays in the file. The new file is made beside the old one,
 * checked, and put in its place in one step, under OpenClaw's lock, behind a copy of the old one. Throws StoreErrors,
 * and then nothing was changed: `session-busy`, `session-missing`, `store-unreadable`, `not-writable`, `unsafe-path`.
 * Undefined when somebody else has repaired it by then. Issue 6, item 1.
 */
export function repairFile(
  session: SessionSummary,
  strategy: RepairStrategy,
  outcomes: readonly KnownOutcome[],
): RepairedFile | undefined {
  const { place } = session;
  return withLock(place, 0, () => {
    // Read again under the lock: OpenClaw may have written since it was scanned.
    const stored = readFileRows(session);
    const conversation = conversationOf(stored, session);
    const mended = mend(conversation.messages, strategy, outcomes);
    if (
      mended.messages === conversation.messages &&
      conversation.entries.length + stored.unreadable + stored.torn === 0
    )
      return undefined;
    return withDraft(place, statSync(place).mode, (draft) => {
      write(draft, session, { stored, conversation, mended });
      const after = check(draft.path, session, { stored, conversation });
      const archive = copyTranscript(place);
      unlessRefused(place, () => draft.put());
      return { after, mended, archive };
    });
  });
}

/** The repaired transcript in a file of its own. */
function write(
  draft: Draft,
  session: SessionSummary,
  { stored, conversation, mended }: { stored: StoredRows; conversation: Conversation; mended: Mended },
): void {
  const branch = branchOf(conversation.path, conversation.messages, mended.messages);
  const rows = conversation.entries.length + stored.unreadable + stored.torn === 0 ? undefined : conversation.rows;
  const taken = new Set(conversation.rows.map((row) => (isObject(row) ? row.id : undefined)));
  const added = linesOf(branch === undefined ? [] : rowsOf(branch, taken));
  unlessRefused(session.place, () => {
    if (rows) return draft.write(linesOf(rows) + added);
    const bytes = readFileSync(session.place);
    // A last line may be whole and not be ended.
    return draft.write(Buffer.concat([bytes, Buffer.from(bytes.at(-1) === LINE_FEED ? added : `\n${added}`)]));
  });
}

function linesOf(rows: readonly unknown[]): string {
  return rows.map((row) => `${toJson(row)}\n`).join("");
}

/** The rows of a branch. What is said again keeps its time. */
function rowsOf({ parentId, entries }: Branch, taken: Set<unknown>): JsonObject[] {
  const ids = new Map<unknown, string>();
  let parent = parentId;
  let timestamp: unknown = new Date().toISOString();
  return entries.map(({ source, message, standsFor }) => {
    const id = newEntryId((one) => taken.has(one));
    taken.add(id);
    for (const old of standsFor) ids.set(old, id);
    timestamp = source?.timestamp ?? timestamp;
    const named = Object.fromEntries(
      REFERENCES.filter((name) => ids.has(source?.[name])).map((name) => [name, ids.get(source?.[name])]),
    );
    const row = {
      ...(source ?? { type: "message" }),
      ...named,
      id,
      parentId: parent,
      timestamp,
      ...(message !== undefined && { message }),
    };
    parent = id;
    return readableRow(row) as JsonObject;
  });
}

/** Throws unless everything that was in the transcript is in the new one, and it can be loaded. */
function check(
  next: string,
  session: SessionSummary,
  { stored, conversation }: { stored: StoredRows; conversation: Conversation },
): Examination {
  const after = readFileRows({ ...session, place: next });
  const examination = examine(after, session);
  const ids = new Map(after.rows.filter(isObject).map((row) => [row.id, row]));
  const lost = stored.rows.filter(
    (row) =>
      isObject(row) &&
      typeof row.id === "string" &&
      row.type === "message" &&
      toJson(ids.get(row.id)?.message) !== toJson(row.message),
  );
  const faults = examination.entries.length + examination.unreadable + examination.torn;
  // Messages that OpenClaw does not read are put in a form that it does.
  const { entries } = conversation;
  if (
    faults === 0 &&
    (lost.length === 0 || entries.includes("unreadable_message") || entries.includes("duplicate_entry_id"))
  )
    return examination;
  throw storeError("store-unreadable", {
    expected: `the repaired ${session.place} to hold everything that it held, and to be sound`,
    found: `${lost.length} messages changed and ${faults} faults left`,
    todo: "This is a fault of openclaw-integrity; please report it with `sessions show --json`. Nothing was changed.",
  });
}
