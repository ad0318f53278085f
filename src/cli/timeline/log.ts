import { timeOf } from "../../base/time.ts";
import { JournalError, setAside } from "../../journal/index.ts";
import { printable } from "../../doctor/printable.ts";
import { stateDirectory } from "../../store/index.ts";
import { NOT_REACHED, type Action } from "../../timetravel/index.ts";
import { openSideIndex, sideIndexFile } from "../../timetravel/side-index/index.ts";
import { withTimeline, type TimelineOptions } from "./place.ts";
import { runAsync } from "../run.ts";

/** `openclaw-integrity timeline log <session>` */
export async function logTimeline(which: string, options: TimelineOptions): Promise<void> {
  await withTimeline(which, options, "keep", ({ actions }) => {
    const shown = options.content === true ? actions : actions.map(withoutWords);
    return { data: { actions: shown }, lines: shown.length === 0 ? ["no moves in this session"] : shown.map(lineOf) };
  });
}

/** Removes the reason of a failed move, which may quote messages. */
function withoutWords({ reason, ...action }: Action): Action {
  return reason === NOT_REACHED ? { ...action, reason } : action;
}

function lineOf({ kind, from, to, carryoverId, by, time, reason }: Action): string {
  const what = {
    DEPARTURE: "",
    INCARNATE: `  as ${carryoverId}`,
    ABORTED: `  ${reason === undefined ? "(--content shows why)" : printable(reason, 200)}`,
  }[kind];
  return `${timeOf(time)}  ${kind.padEnd(9)}  ${by.padEnd(8)}  ${from ?? "nowhere"} -> ${to ?? "root"}${what}`;
}

/** `openclaw-integrity timeline reindex [session]` */
export async function reindexTimeline(which: string | undefined, options: TimelineOptions): Promise<void> {
  if (which === undefined) {
    await runAsync(options, async () => {
      const file = sideIndexFile(stateDirectory());
      const aside = setAsideDamaged(file);
      const index = openSideIndex(file, { busyTimeoutMs: 5000 });
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
    const { hashes, keep } = index().hashes.of(session.sessionId, history);
    for (const { id } of history.tips()) hashes.of(id);
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
    openSideIndex(file, { busyTimeoutMs: 5000 }).close();
    return undefined;
  } catch (error) {
    if (!(error instanceof JournalError) || error.code !== "damaged") throw error;
    return setAside(file);
  }
}
