import { storedOutcomes } from "../journal/index.ts";
import type { Catalog, SessionSummary } from "../store/catalog/summary.ts";
import { refusal } from "../store/errors.ts";
import type { Repair, RepairStrategy } from "../transcript/repair.ts";
import { conversationOf, examinationOf, isSound, type Examination } from "./examine.ts";
import { mend } from "./mend.ts";
import { repairFile } from "./repair-file.ts";
import { reindexRows } from "./reindex-rows.ts";
import { repairRows } from "./repair-rows.ts";

/** How sessions are repaired. */
export interface RepairStoredOptions {
  readonly stateDirectory: string;
  /** What is done about results without a call; `remove_orphans` by default. */
  readonly strategy?: RepairStrategy;
  /** Only tell what would be done. */
  readonly dryRun?: boolean;
  /** Also when OpenClaw's record says that the session is being answered (rows only). */
  readonly force?: boolean | undefined;
  /** The folder of the OpenClaw that has the rows; asked for only when there are some to repair. */
  readonly root: () => string;
}

/** What became of a session. */
export interface RepairedSession {
  /** `left`: its faults are such as only the patch can mend, where the request is made. */
  action: "repaired" | "would-repair" | "sound" | "left";
  before: Examination;
  /** Missing when nothing was changed. */
  after?: Examination;
  repairs: readonly Repair[];
  /** Brings the session back with `sessions restore`. */
  archive?: string;
}

/**
 * Repairs one stored session. Nothing that was said is lost: it stays in the file or the rows, and in an archive. A
 * sound session is not touched. Rejects with StoreErrors, and then nothing was changed. Issue 6, items 1 and 5.
 */
export async function repairStored(
  catalog: Catalog,
  session: SessionSummary,
  { stateDirectory, strategy = "remove_orphans", dryRun = false, force, root }: RepairStoredOptions,
): Promise<RepairedSession> {
  if (session.unread !== undefined) {
    throw refusal("store-unreadable", {
      expected: `to read the session ${session.sessionId}`,
      found: session.unread,
      todo: "The patched OpenClaw mends it when it loads it. Nothing was changed.",
    });
  }
  const stored = catalog.read(session);
  const conversation = conversationOf(stored, session);
  const before = examinationOf(stored, conversation);
  // Lines that are no JSON can be left out of a file only.
  const hasLines = session.kind === "file" && before.unreadable + before.torn > 0;
  if (isSound(before) && !hasLines) return { action: "sound", before, repairs: [] };
  const { messages, entries } = conversation;
  const outcomes = storedOutcomes(stateDirectory, session.sessionId);
  const planned = mend(messages, strategy, outcomes);
  const isPlanned = planned.messages !== messages || entries.length > 0 || hasLines;
  if (!isPlanned && before.index === undefined) return { action: "left", before, repairs: [] };
  if (dryRun) return { action: "would-repair", before, repairs: planned.repairs };
  if (!isPlanned)
    return {
      action: "repaired",
      before,
      after: await reindexRows(catalog, session, { root: root(), stateDirectory }),
      repairs: [],
    };
  const repaired =
    session.kind === "file"
      ? repairFile(session, strategy, outcomes)
      : await repairRows(catalog, session, { root: root(), stateDirectory, strategy, outcomes, force });
  if (repaired === undefined) return { action: "sound", before, repairs: [] };
  const { after, mended, archive } = repaired;
  return { action: "repaired", before, after, repairs: mended.repairs, ...(archive !== undefined && { archive }) };
}
