import { existsSync } from "node:fs";
import { journalFile, openJournal } from "../journal/index.ts";
import { type Catalog, findSession, findSummary, type MoveOptions, type SessionStore } from "../store/index.ts";
import { callsAround, type WorkReader } from "./carry/work.ts";
import { forkText } from "./carryover.ts";
import { timeTravelError } from "./errors.ts";
import { textOfNode } from "./history.ts";
import { withStoredTimeline } from "./stored.ts";

/** Which session is forked, and where. */
export interface StoredFork extends MoveOptions {
  /** Id of a session, or key of its conversation. */
  readonly which: string;
  readonly agentId?: string | undefined;
  /** The place at which the new session goes on, in a form that {@link resolveTarget} accepts. */
  readonly place: string;
  /** The name under which OpenClaw lists the new session; by default it says from where it is. */
  readonly label?: string | undefined;
  /** The operator's note for the agent of the new session. */
  readonly note?: string | undefined;
  readonly dryRun?: boolean | undefined;
  /** Whether errors may show words of messages; false by default. */
  readonly withWords?: boolean | undefined;
  /** Returns what reads the recorded work of the conversation; undefined where none is recorded. */
  readonly toWorkReader?: ((sessionKey: string) => WorkReader | undefined) | undefined;
}

/** A fork, or what one would be. */
export interface Fork {
  readonly action: "forked" | "would-fork";
  readonly from: { readonly sessionId: string; readonly sessionKey: string | undefined; readonly entryId: string };
  /** How many messages with words the new session begins with, results of tools not counted. */
  readonly messages: number;
  readonly label: string;
  /** The new session; undefined in a dry run. */
  readonly sessionId?: string;
  readonly sessionKey?: string;
  /** What could not be read of the stored session, in sentences. */
  readonly problems: readonly string[];
}

/** OpenClaw's longest label is longer; this one fits into a list. */
const MAX_LABEL = 60;

/**
 * Makes a new session from the path to a place of a stored one, by OpenClaw's own session creation; the stored session
 * is only read. Rejects with the errors of the catalog and the store, with the TimeTravelErrors of the place, and with
 * `bad-target` for the place before the first message and for a label that is none.
 */
export async function forkStored(
  catalog: Catalog,
  store: SessionStore,
  stateDirectory: string,
  { which, agentId, place, label, note, dryRun = false, withWords = false, toWorkReader, ...options }: StoredFork,
): Promise<Fork> {
  const summary = findSummary(catalog, which, agentId);
  const session = findSession(store, summary.sessionId, summary.agentId);
  const { history, target } = withStoredTimeline(catalog, summary, stateDirectory, "look", (stored) => ({
    history: stored.history,
    target: stored.resolve(place, withWords),
  }));
  const node = target.nodeId === null ? undefined : history.node(target.nodeId);
  if (!node || !session.has(node.id)) {
    throw timeTravelError("bad-target", {
      expected: "an entry of this session with which the new one begins",
      found: node ? "a damaged row without an id" : "the place before the first message",
      todo: "A new conversation begins with /new. Nothing was changed.",
    });
  }
  const checked = checkedLabel(label ?? `Fork of ${summary.sessionKey ?? summary.sessionId}`.slice(0, MAX_LABEL));
  const file = journalFile(stateDirectory);
  const journal = existsSync(file) ? openJournal(file, { readOnly: true, busyTimeoutMs: 5000 }) : undefined;
  const openCycles = journal?.cycles.open(session.sessionId) ?? [];
  journal?.close();
  const readWork = summary.sessionKey === undefined ? undefined : toWorkReader?.(summary.sessionKey);
  const work = await readWork?.(callsAround(history, target));
  const text = forkText(history, target, note, { openCycles, work: work?.sections });
  const path = history.path(node.id);
  const outcome = {
    from: { sessionId: summary.sessionId, sessionKey: summary.sessionKey, entryId: node.id },
    messages: path.filter((one) => one.role !== "note" && one.role !== "toolResult" && textOfNode(one).trim() !== "")
      .length,
    label: checked,
    problems: session.problems,
  };
  session.assertIdle(options);
  if (dryRun) return { ...outcome, action: "would-fork" };
  const forked = await session.forkAt(
    node.id,
    { text, details: { forkedFrom: { sessionId: summary.sessionId, entryId: node.id } } },
    checked,
    options,
  );
  return { ...outcome, action: "forked", sessionId: forked.sessionId, sessionKey: forked.sessionKey };
}

function checkedLabel(label: string): string {
  const text = label.trim().toWellFormed();
  if (text !== "" && text.length <= MAX_LABEL && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)) return text;
  throw timeTravelError("bad-target", {
    expected: `a label of 1 to ${MAX_LABEL} characters on one line`,
    found: JSON.stringify(label.slice(0, 100)),
    todo: "Choose another one. Nothing was changed.",
  });
}
