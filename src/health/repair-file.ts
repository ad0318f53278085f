import { readFileSync, statSync } from "node:fs";
import { copyTranscript } from "../store/archives/archive-copy.ts";
import type { Draft } from "../base/files/index.ts";
import { unlessRefused, withDraft } from "../store/archives/durable-file.ts";
import { removeSuperseded } from "../store/archives/superseded-archives.ts";
import { linkLastReplies } from "../store/sessions/own-replies.ts";
import { newEntryId } from "../store/sessions/entry-id.ts";
import { storeError } from "../store/errors.ts";
import { readFileRows } from "../store/catalog/files.ts";
import type { SessionSummary, StoredRows } from "../store/catalog/summary.ts";
import { withLock } from "../store/openclaw/openclaw-lock.ts";
import { readableRow } from "../transcript/entries.ts";
import type { KnownOutcome } from "../transcript/interrupted.ts";
import { isObject, toJson, type JsonObject } from "../transcript/json/json.ts";
import type { RepairStrategy } from "../transcript/repair.ts";
import { planBranch, type Branch } from "./branch.ts";
import { toConversation, examine, type Conversation, type Examination } from "./examine.ts";
import { mend, type Mended } from "./mend.ts";

const LINE_FEED = 10;
/** Fields of a row that refer to another row by id. */
const REFERENCES = ["firstKeptEntryId", "targetId"] as const;

/** Result of the repair of a transcript file. */
export interface RepairedFile {
  after: Examination;
  mended: Mended;
  /** Path of the copy of the original file; `sessions restore` restores it. */
  archive: string;
}

/**
 * Repairs a transcript file. Rows that cannot be loaded are corrected, lines that are not JSON are removed, and a
 * conversation with faults continues in a branch without them; the faulty messages stay in the file. The new file is
 * written beside the old one and checked; then the old file is copied and replaced in one step, all under OpenClaw's
 * lock. Throws StoreErrors, and then the transcript is unchanged: `session-busy`, `session-missing`,
 * `store-unreadable`, `not-writable`, `unsafe-path`. Returns undefined when the file needs no repair any more.
 */
export function repairFile(
  session: SessionSummary,
  strategy: RepairStrategy,
  outcomes: readonly KnownOutcome[],
): RepairedFile | undefined {
  const { place } = session;
  return withLock(place, 0, () => {
    // Written in place: a copy of the transcript for each chat command would have no limit.
    unlessRefused(place, () => linkLastReplies(place));
    // The file is read again under the lock: OpenClaw may have written to it since the scan.
    const stored = readFileRows(session);
    const conversation = toConversation(stored, session);
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
      removeSuperseded(place, archive);
      return { after, mended, archive };
    });
  });
}

/** Writes the repaired transcript to the draft. */
function write(
  draft: Draft,
  session: SessionSummary,
  { stored, conversation, mended }: { stored: StoredRows; conversation: Conversation; mended: Mended },
): void {
  const branch = planBranch(conversation.path, conversation.messages, mended.messages);
  const rows = conversation.entries.length + stored.unreadable + stored.torn === 0 ? undefined : conversation.rows;
  const taken = new Set(conversation.rows.map((row) => (isObject(row) ? row.id : undefined)));
  const added = writeRows(branch === undefined ? [] : takeRows(branch, taken));
  unlessRefused(session.place, () => {
    if (rows) return draft.write(writeRows(rows) + added);
    const bytes = readFileSync(session.place);
    // The last line may be complete but lack its line feed.
    return draft.write(Buffer.concat([bytes, Buffer.from(bytes.at(-1) === LINE_FEED ? added : `\n${added}`)]));
  });
}

function writeRows(rows: readonly unknown[]): string {
  return rows.map((row) => `${toJson(row)}\n`).join("");
}

/** Returns the rows of a branch. Copies keep the timestamps of their sources. */
function takeRows({ parentId, entries }: Branch, taken: Set<unknown>): JsonObject[] {
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

/** Examines the new transcript. Throws unless it can be loaded and holds every message of the old one. */
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
  // These two faults are repaired by changing messages or ids.
  const { entries } = conversation;
  if (
    faults === 0 &&
    (lost.length === 0 || entries.includes("unreadable_message") || entries.includes("duplicate_entry_id"))
  )
    return examination;
  throw storeError("store-unreadable", {
    expected: `the repaired ${session.place} to hold all earlier messages, without faults`,
    found: `${lost.length} messages changed and ${faults} faults left`,
    todo: "This is a bug in openclaw-integrity; please report it with `sessions show --json`. Nothing was changed.",
  });
}
