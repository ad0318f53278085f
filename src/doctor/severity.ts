/** What faults can do to a session in an OpenClaw without the patch, and the order of sessions by that. */
import type { Examination } from "../health/index.ts";
import { isEarlier } from "../store/index.ts";
import type { RecordFault } from "../store/sessions/record-fault.ts";
import type { EntryViolation } from "../transcript/entries.ts";
import type { ViolationKind } from "../transcript/violations.ts";
import type { CheckedSession, OpenClawAtHand } from "./checkup.ts";

/** What can become of a session in an OpenClaw without the patch, the worst first. */
export const SEVERITIES = ["bricks", "loses", "unread", "harmless", "sound"] as const;
export type Severity = (typeof SEVERITIES)[number];

type Kind = ViolationKind | EntryViolation | "outdated_index" | RecordFault;

/**
 * The worst outcome of each kind on any API: measured with the corpus (results/corpus.md) on 2026.2.3, which stands for
 * the releases that keep transcripts in files, and on 2026.9.6, which stands for those with a database. Kinds that are
 * not listed are harmless there: the next message was answered and nothing was missing.
 */
const FILES: Readonly<Partial<Record<Kind, Severity>>> = {
  foreign_block: "bricks",
  too_deep: "bricks",
  skipped_tool_call: "bricks",
  duplicate_tool_call_id: "bricks",
  duplicate_tool_result: "bricks",
  empty_id: "bricks",
  invalid_id: "bricks",
  unreadable_message: "bricks",
  duplicate_entry_id: "bricks",
  foreign_row: "bricks",
  unknown_parent: "bricks",
  stuck_lock: "bricks",
  child_before_parent: "loses",
  displaced_tool_result: "loses",
  orphaned_tool_result: "loses",
  empty_message: "loses",
  misplaced_header: "loses",
  missing_header: "loses",
  missing_entry_id: "loses",
};
const DATABASE: Readonly<Partial<Record<Kind, Severity>>> = {
  foreign_block: "bricks",
  too_deep: "bricks",
  outdated_index: "bricks",
  ended_recovery: "bricks",
  unfinished_setup: "bricks",
  missing_model: "bricks",
  missing_header: "bricks",
  old_header: "bricks",
  skipped_tool_call: "loses",
  duplicate_tool_result: "loses",
  displaced_tool_result: "loses",
  empty_id: "loses",
  invalid_id: "loses",
  unreadable_message: "loses",
  duplicate_entry_id: "loses",
  unknown_parent: "loses",
  missing_entry_id: "loses",
  child_before_parent: "loses",
};

/**
 * Returns what can become of a session in the OpenClaw at hand without the patch. Where its release is unknown, the
 * session's store tells which releases read it. A session that OpenClaw has put away counts as sound: no turn reads it.
 */
export function judgeSeverity(
  { session, examination, unread }: Pick<CheckedSession, "session" | "examination" | "unread">,
  release?: string,
): Severity {
  if (unread !== undefined || examination === undefined) return session.isPutAway === true ? "sound" : "unread";
  // No turn is sent from a session that its conversation has left.
  const hasBeenLeft = isEarlier(session);
  const outcomes = keepsFiles(release, session.kind) ? FILES : DATABASE;
  let worst: Severity = "sound";
  for (const kind of kindsIn(examination)) {
    const outcome = hasBeenLeft ? "harmless" : (outcomes[kind] ?? "harmless");
    if (outcome === "bricks") return outcome;
    if (SEVERITIES.indexOf(outcome) < SEVERITIES.indexOf(worst)) worst = outcome;
  }
  return worst;
}

/** Returns the release by which faults are judged; undefined where there is none, or several that differ. */
export function judgedBy(openclaws: readonly OpenClawAtHand[] = []): string | undefined {
  const releases = new Set(openclaws.map(({ release }) => release));
  return releases.size === 1 ? [...releases][0] : undefined;
}

/** Sorts sessions by severity, the worst first; equally severe ones stay in their order. */
export function bySeverity<Item extends CheckedSession>(
  sessions: readonly Item[],
  release?: string,
): Map<Severity, Item[]> {
  const groups = new Map<Severity, Item[]>(SEVERITIES.map((severity) => [severity, []]));
  for (const session of sessions) groups.get(judgeSeverity(session, release))!.push(session);
  return groups;
}

function* kindsIn({ violations, entries, index, record }: Examination): Generator<Kind> {
  for (const { kind } of violations) yield kind;
  yield* entries;
  if (index !== undefined) yield index;
  if (record !== undefined) yield record;
}

/** Whether a release keeps transcripts in files, as those to 2026.7 do; by the session where it is unknown. */
function keepsFiles(release: string | undefined, kind: "file" | "rows"): boolean {
  const [, year, month] = /^(\d{4})\.(\d+)\./.exec(release ?? "") ?? [];
  if (year === undefined) return kind === "file";
  return Number(year) < 2026 || (Number(year) === 2026 && Number(month) < 8);
}
