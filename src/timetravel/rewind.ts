import { randomUUID } from "node:crypto";
import type { Journal } from "../journal/index.ts";
import { assertInUse, recordLeft, type MoveOptions, type StoredSession } from "../store/index.ts";
import type { JsonObject } from "../transcript/json/json.ts";
import {
  type Decision,
  type FilesReport,
  moveFiles,
  moveWithoutFiles,
  previewFiles,
  type WorkspaceStore,
} from "../workspace/index.ts";
import { operatorCarryoverText } from "./carryover.ts";
import { callsAround, type WorkAtMove, type WorkReader } from "./carry/work.ts";
import { conversationEnd } from "./conversation/authors.ts";
import { describeError } from "../base/coded-error.ts";
import { workspaceError } from "../workspace/errors.ts";
import { timeTravelError } from "./errors.ts";
import { type Files, toFilePlace } from "./files/places.ts";
import type { History } from "./history.ts";
import { readArrival, CARRYOVER_TYPE, type MoveArrival } from "./records.ts";
import type { Target } from "./target.ts";
import { type Change, previewChange } from "./view/change.ts";
import { ownCommand } from "../base/commands/own-command.ts";

/** Options of a rewind. */
export interface RewindOptions extends MoveOptions {
  /** The operator's note for the agent. */
  readonly note?: string | undefined;
  readonly dryRun?: boolean | undefined;
  /**
   * The end of the conversation that the person has seen, as {@link conversationEnd} returns it; when it has another
   * one, the move is refused (`moved-on`).
   */
  readonly expectedHead?: string | null | undefined;
  /** The journal of the patch, with tool calls and unanswered messages; undefined where there is none. */
  readonly journal?: Journal | undefined;
  /** Whether the files of the workspace come back too; default `keep`. */
  readonly files?: Files | undefined;
  /** Which version stays of files that someone else changed since; without a decision the rewind is refused. */
  readonly conflicts?: Decision | undefined;
  /** The snapshots of the session's workspace; undefined where nothing of it was captured. */
  /** Reads the recorded work of the conversation; undefined where none is recorded. */
  readonly work?: WorkReader | undefined;
  readonly workspace?: { readonly store: WorkspaceStore; readonly stateDirectory: string } | undefined;
}

/** The result of a rewind, or of its dry run. */
export interface Rewound extends Change {
  readonly action: "rewound" | "already" | "would-rewind";
  /** The session in which the conversation continues. */
  readonly sessionId: string;
  readonly sessionKey: string | undefined;
  readonly targetId: string | null;
  readonly carryoverId?: string;
  readonly carryover?: string;
  /** What becomes of the files; undefined when they are kept. */
  readonly files?: FilesReport;
  readonly problems: readonly string[];
}

/**
 * Moves a conversation to a place of its own history, between turns, for an operator: one row is appended after the
 * target, which informs the agent. Nothing is deleted; the previous path stays as a branch. A second call changes
 * nothing. `history` must be made from the rows of `session`.
 *
 * Rejects with a StoreError or a TimeTravelError, and then the conversation is unchanged: a run is active
 * (`session-busy`), the session belongs to no conversation any more (`session-left`), OpenClaw or the file system
 * refuses the write (`openclaw-failed`, `not-writable`), the target is a row without an id (`no-such-node`), the note
 * is too long (`bad-carryover`), the conversation has gone on (`moved-on`). With `files` "restore" also with a
 * WorkspaceError; files and conversation are then both unchanged.
 */
export async function rewind(
  session: StoredSession,
  history: History,
  target: Target,
  {
    note,
    dryRun = false,
    journal,
    expectedHead,
    files = "keep",
    conflicts,
    workspace,
    work: readWork,
    ...options
  }: RewindOptions = {},
): Promise<Rewound> {
  const { nodeId: targetId } = target;
  if (expectedHead !== undefined && expectedHead !== conversationEnd(history)) throw movedOn();
  const openCycles = journal?.cycles.open(session.sessionId) ?? [];
  let work: WorkAtMove | undefined;
  const textWith = (report?: FilesReport): string =>
    operatorCarryoverText(history, target, note, { openCycles, files: report, work: work?.sections });
  // A note that is too long is refused before anything is looked at.
  textWith();
  assertStored(session, targetId);
  assertInUse(session, options.sessionKey);
  const { calls, ...change } = previewChange(history, target, openCycles);
  const { departureId } = change;
  const head = departureId === null ? undefined : history.node(departureId);
  const outcome = {
    ...change,
    sessionId: session.sessionId,
    sessionKey: options.sessionKey ?? session.sessionKey,
    targetId,
    problems: session.problems,
  };
  const owner = {
    sessionId: session.sessionId,
    sessionKey: outcome.sessionKey,
    agentId: session.agentId,
  };
  const withFiles = files === "restore" ? requireWorkspace(workspace) : undefined;
  const move = { owner, where: toFilePlace(history, targetId), decision: conflicts };
  const isThere = (targetId === departureId || (head && isArrivalAt(head.entry, targetId))) && session.isCurrent;
  const planned = withFiles && (dryRun || isThere) ? await previewFiles(withFiles.store, move) : undefined;
  if (isThere && (planned === undefined || isUntouched(planned))) {
    // A kill may have come after the row was written and before OpenClaw could read it.
    if (!dryRun) await session.settle();
    return { ...outcome, action: "already", ...(planned && { files: planned }) };
  }
  work = await readWork?.(callsAround(history, target));
  session.assertIdle(options);
  if (dryRun)
    return { ...outcome, action: "would-rewind", carryover: textWith(planned), ...(planned && { files: planned }) };
  const words = note?.trim().toWellFormed() ?? "";
  const intentId = randomUUID();
  const details: MoveArrival & JsonObject = {
    intentId,
    departureId,
    targetId,
    by: "operator",
    ...(words !== "" && { note: words }),
    ...(withFiles && { files: "restore" }),
    ...(work && { work: work.told }),
  };
  const append = async (report?: FilesReport): Promise<Rewound> => {
    const text = textWith(report);
    const carryoverId = await session.goOnFrom(targetId, { text, details, customType: CARRYOVER_TYPE }, options);
    const { sessionId } = session;
    return { ...outcome, sessionId, action: "rewound", carryoverId, carryover: text, ...(report && { files: report }) };
  };
  const rewound = withFiles
    ? await moveFiles(withFiles.stateDirectory, withFiles.store, { ...move, intentId }, append)
    : await append();
  if (journal) recordLeft(journal, outcome.sessionId, calls);
  return withFiles || !workspace ? rewound : { ...rewound, problems: [...rewound.problems, ...(await kept())] };

  /** A place that kept its files has to know them. */
  async function kept(): Promise<string[]> {
    try {
      await moveWithoutFiles(workspace!.store, owner, intentId);
      return [];
    } catch (error) {
      return [`the files of this place were not captured: ${describeError(error)}`];
    }
  }
}

function requireWorkspace(workspace: RewindOptions["workspace"]): NonNullable<RewindOptions["workspace"]> {
  if (workspace) return workspace;
  throw workspaceError("no-snapshots", {
    expected: "snapshots of the files that this session changed",
    found: "none",
    todo:
      `They are made where \`${ownCommand("plugin install", { options: ["--time-travel", "--files"] })}\` turned ` +
      "them on, from then on. Go back without files, or not at all; nothing was moved.",
  });
}

function isUntouched({ restored, removed, conflicts }: FilesReport): boolean {
  return restored.length + removed.length + conflicts.length === 0;
}

/**
 * Throws `no-such-node` for a row without an id: it gets one when it is loaded, but the store cannot append after it.
 */
function assertStored(session: StoredSession, id: string | null): void {
  if (id === null || session.has(id)) return;
  throw timeTravelError("no-such-node", {
    expected: `an entry that ${session.place} has under the id ${id}`,
    found: "a damaged row that has none, or another's",
    todo: `Run \`${ownCommand("sessions repair")}\` first, or choose another place. Nothing was changed.`,
  });
}

function movedOn(): Error {
  return timeTravelError("moved-on", {
    expected: "the conversation to end where it ended when this was asked for",
    found: "that it has gone on since",
    todo: "Look again and decide anew. Nothing was changed.",
  });
}

function isArrivalAt(entry: JsonObject, targetId: string | null): boolean {
  const arrival = readArrival(entry);
  return arrival?.by === "operator" && arrival.targetId === targetId;
}
