import { formatTime } from "../../base/time.ts";
import { JournalError, setAside } from "../../journal/index.ts";
import { readJournal } from "../../doctor/journal-facts.ts";
import { printable } from "../../doctor/printable.ts";
import { stateDirectory } from "../../store/index.ts";
import { type HashedAction, NOT_ACCEPTED, NOT_REACHED } from "../../timetravel/index.ts";
import { openTimelineIndex, timelineIndexFile } from "../../timetravel/timeline-index/index.ts";
import { table, withTimeline, type TimelineOptions } from "./place.ts";
import { runAsync } from "../run.ts";

/** `openclaw-integrity timeline log <session>` */
export async function logTimeline(which: string, options: TimelineOptions): Promise<void> {
  await withTimeline(which, options, "keep", ({ actions, session }) => {
    const shown = options.content === true ? actions : actions.map(withoutWords);
    const rollbacks = readRollbacks(session.sessionId);
    const lines = [
      // The departure of a move says nothing that its outcome does not say.
      ...shown
        .filter(({ kind }) => kind !== "DEPARTURE")
        .map((action) => ({ time: action.time ?? "", cells: cellsOfMove(action) })),
      ...rollbacks.map((rollback) => ({ time: rollback.time, cells: cellsOfRollback(rollback) })),
    ];
    // The moves keep the order of their rows; a rollback comes where its time puts it.
    const ordered = rollbacks.length === 0 ? lines : lines.toSorted((one, other) => one.time.localeCompare(other.time));
    return {
      data: { actions: shown, rollbacks },
      lines:
        lines.length === 0
          ? ["no moves in this session"]
          : table(
              HEAD,
              ordered.map(({ cells }) => cells),
            ),
    };
  });
}

/** Reasons that are the same for every move, and quote nothing. */
const PLAIN_REASONS: ReadonlySet<string | undefined> = new Set([NOT_REACHED, NOT_ACCEPTED]);

/** Removes the note, the target in the agent's words, and the reason of a failed move, which may quote messages. */
function withoutWords({ reason, note: _note, asked, ...action }: HashedAction): HashedAction {
  return {
    ...action,
    ...(PLAIN_REASONS.has(reason) && { reason }),
    ...(asked !== undefined && { asked: PLAIN_TARGET.test(asked) ? asked : "(--content shows it)" }),
  };
}

/** A target without words of a conversation. */
const PLAIN_TARGET = /^(?:root|turn:-\d{1,6}|[0-9a-f-]{4,36})$/;

const HEAD = ["time", "move", "by", "from -> to", ""];

function cellsOfMove({ kind, from, to, carryoverId, by, time, note, reason, asked }: HashedAction): string[] {
  const isMade = kind === "INCARNATE";
  const target = asked === undefined ? (to ?? "root") : printable(asked, 60);
  return [
    formatTime(time),
    isMade ? "moved" : "not moved",
    by,
    `${from ?? "nowhere"} -> ${target}`,
    isMade
      ? `as ${carryoverId}${note === undefined ? "" : `: ${printable(note, 200)}`}`
      : reason === undefined
        ? "(--content shows why)"
        : printable(reason, 200),
  ];
}

/** A rollback of the session to a checkpoint (chat, library), from the journal: the last one to each checkpoint. */
interface Rollback {
  readonly time: string;
  readonly checkpoint: string;
  readonly to: string | null;
}

function readRollbacks(sessionId: string): readonly Rollback[] {
  const { checkpoints = [] } = readJournal(stateDirectory(), sessionId);
  return checkpoints.flatMap(({ id, leafEntryId, rolledBackAt }) =>
    rolledBackAt === undefined
      ? []
      : [{ time: new Date(rolledBackAt).toISOString(), checkpoint: id, to: leafEntryId ?? null }],
  );
}

function cellsOfRollback({ time, checkpoint, to }: Rollback): string[] {
  return [formatTime(time), "rolled back", "operator", `to ${to ?? "root"}`, `checkpoint ${checkpoint}`];
}

/** `openclaw-integrity timeline reindex [session]` */
export async function reindexTimeline(which: string | undefined, options: TimelineOptions): Promise<void> {
  if (which === undefined) {
    await runAsync(options, async () => {
      const file = timelineIndexFile(stateDirectory());
      const aside = setAsideDamaged(file);
      const index = openTimelineIndex(file, { busyTimeoutMs: 5000 });
      try {
        index.drop();
      } finally {
        index.close();
      }
      return {
        data: { file, ...(aside !== undefined && { setAside: aside }) },
        lines: ["the index was deleted; each session's part is rebuilt on its next use"],
        warnings:
          aside === undefined
            ? []
            : [`the index was damaged, and with it the names of places; the damaged file is kept as ${aside}`],
      };
    });
    return;
  }
  await withTimeline(which, options, "keep", ({ session, history, actions, index }) => {
    index().drop(session.sessionId);
    const { hashes, keep } = index().hashes.load(session.sessionId, history);
    for (const { id } of history.tips()) hashes.hash(id);
    keep();
    return {
      data: { nodes: history.nodes().length, actions: actions.length },
      lines: [`rebuilt: ${history.nodes().length} nodes, ${actions.length} actions`],
    };
  });
}

/** Sets a damaged index aside so that a new one can be created. Returns its new name. */
function setAsideDamaged(file: string): string | undefined {
  try {
    openTimelineIndex(file, { busyTimeoutMs: 5000 }).close();
    return undefined;
  } catch (error) {
    if (!(error instanceof JournalError) || error.code !== "damaged") throw error;
    return setAside(file);
  }
}
