import { type JournalledOutcome, storedOutcomes } from "../journal/index.ts";
import { isEarlier, type Catalog, type SessionSummary } from "../store/catalog/summary.ts";
import { storeError } from "../store/errors.ts";
import type { Repair, RepairStrategy } from "../transcript/repair.ts";
import { toConversation, examineLoaded, examine, isSound, type Examination } from "./examine.ts";
import { mend } from "./mend.ts";
import { repairFile } from "./repair-file.ts";
import { reindexRows } from "./reindex-rows.ts";
import { repairRecord } from "./repair-record.ts";
import { repairRows } from "./repair-rows.ts";

const DEFAULT_STRATEGY: RepairStrategy = "remove_orphans";

/** Options of a repair. */
export interface RepairStoredOptions {
  readonly stateDirectory: string;
  /** How results without a call are treated; `remove_orphans` by default. */
  readonly strategy?: RepairStrategy;
  /** Reports what would be repaired, without changing anything. */
  readonly dryRun?: boolean;
  /** Repairs also a session that OpenClaw's record reports as running (rows only). */
  readonly force?: boolean | undefined;
  /** Returns the folder of the OpenClaw that owns the rows; called only when rows are repaired. */
  readonly root: () => string;
}

/** Result of the repair of a session. */
export interface RepairedSession {
  /**
   * `left`: a repair of the store cannot remove the faults; the patch removes them from each request. `earlier`: the
   * conversation has left the session, which needs no repair.
   */
  action: "repaired" | "would-repair" | "sound" | "left" | "earlier";
  before: Examination;
  /** Missing when nothing was changed. */
  after?: Examination;
  repairs: readonly Repair[];
  /** Path that `sessions restore` accepts. */
  archive?: string;
  /** Path of a copy of OpenClaw's record of the conversation as it was, where it was changed; for a person to read. */
  recordArchive?: string;
}

/** What a repair writes: nothing that would help, OpenClaw's index of the rows alone, or the session itself. */
type Change = "none" | "index" | "session";

/**
 * Repairs one stored session. No message is lost: all stay in the file or the rows, or in an archive. A session without
 * faults is not changed. Rejects with StoreErrors, and then nothing was changed.
 */
export async function repairStored(
  catalog: Catalog,
  session: SessionSummary,
  options: RepairStoredOptions,
): Promise<RepairedSession> {
  assertRead(session);
  const stored = catalog.read(session);
  const conversation = toConversation(stored, session);
  const before = examineLoaded(stored, conversation);
  const unchanged = { before, repairs: [] };
  // Only a file can be rewritten without its unreadable lines.
  const hasLines = session.kind === "file" && before.unreadable + before.torn > 0;
  if (isSound(before) && !hasLines) return { action: "sound", ...unchanged };
  if (isEarlier(session)) return { action: "earlier", ...unchanged };

  const outcomes = storedOutcomes(options.stateDirectory, session.sessionId);
  const planned = mend(conversation.messages, options.strategy ?? DEFAULT_STRATEGY, outcomes);
  const isChanged = planned.messages !== conversation.messages || conversation.entries.length > 0 || hasLines;
  const change: Change = isChanged ? "session" : before.index === undefined ? "none" : "index";
  if (change === "none" && before.record === undefined) return { action: "left", ...unchanged };
  if (options.dryRun === true) return { action: "would-repair", before, repairs: planned.repairs };

  const recordArchive = before.record === undefined ? undefined : await repairRecord(catalog, session, options);
  const kept = recordArchive === undefined ? {} : { recordArchive };
  if (change === "none")
    return { action: "repaired", before, repairs: [], after: examine(catalog.read(session), session), ...kept };
  const written = await write(change, catalog, session, options, outcomes);
  // Somebody else has repaired the session meanwhile.
  return written === undefined
    ? { action: "sound", ...unchanged }
    : { action: "repaired", before, ...written, ...kept };
}

function assertRead({ unread, sessionId }: SessionSummary): void {
  if (unread === undefined) return;
  throw storeError("store-unreadable", {
    expected: `to read the session ${sessionId}`,
    found: unread,
    todo: "The patched OpenClaw repairs the session when it loads it. Nothing was changed.",
  });
}

/** Writes the repair; undefined when the session has become sound since it was judged. */
async function write(
  change: Exclude<Change, "none">,
  catalog: Catalog,
  session: SessionSummary,
  { stateDirectory, strategy = DEFAULT_STRATEGY, force, root }: RepairStoredOptions,
  outcomes: JournalledOutcome[],
): Promise<Pick<RepairedSession, "after" | "repairs" | "archive"> | undefined> {
  if (change === "index")
    return { after: await reindexRows(catalog, session, { root: root(), stateDirectory }), repairs: [] };
  const repaired =
    session.kind === "file"
      ? repairFile(session, strategy, outcomes)
      : await repairRows(catalog, session, { root: root(), stateDirectory, strategy, outcomes, force });
  if (repaired === undefined) return undefined;
  const { after, mended, archive } = repaired;
  return { after, repairs: mended.repairs, ...(archive !== undefined && { archive }) };
}
