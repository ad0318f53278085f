/** Describes the data that is kept of conversations, for a person. */
import { relative } from "node:path";
import { formatTime } from "../../base/time.ts";
import { visible } from "../../doctor/printable.ts";
import { ownCommand } from "../../base/commands/own-command.ts";
import type { Holding, HoldingKind, LeftBehind, OpenClawCopy } from "../../privacy/index.ts";

/** Singular and plural of each kind of data. */
const NAMES: Readonly<Record<HoldingKind, readonly [string, string]>> = {
  archive: ["copy of a transcript", "copies of transcripts"],
  unfinished_file: ["unfinished file", "unfinished files"],
  path_note: ["record of where a path ended", "records of where a path ended"],
  record_copy: ["copy of OpenClaw's record of a conversation", "copies of OpenClaw's records of conversations"],
  incident_file: ["incident file", "incident files"],
  tool_calls: ["tool call", "tool calls"],
  unanswered_messages: ["unanswered message", "unanswered messages"],
  checkpoints: ["checkpoint", "checkpoints"],
  incidents: ["incident", "incidents"],
  learned: ["thing learned of the session", "things learned of the session"],
  node_hashes: ["hash of a place", "hashes of places"],
  moves: ["move", "moves"],
  names: ["name of a place", "names of places"],
  workspace_files: ["change of files", "changes of files"],
  recorded_work: ["row of recorded work", "rows of recorded work"],
  scan_results: ["scan result", "scan results"],
  session_list: ["entry in the list of sessions", "entries in the list of sessions"],
  damaged_database: ["database that was damaged and set aside", "databases that were damaged and set aside"],
};

const WHY = {
  deleted: "OpenClaw has deleted it",
  reset: "its conversation was reset",
  gone: "OpenClaw does not have it, for an unknown reason",
} as const;

/** Copies that this command cannot delete. */
export const UNREACHABLE: readonly string[] = [
  "what OpenClaw keeps itself: transcripts, including those it has renamed (*.deleted.*, *.reset.*) or keeps in its " +
    "database, logs, the agent's memory (openclaw memory forget)",
  "pages that `sessions doctor --html` and files that `continuity export` have written",
  "backups, snapshots of the file system or the object storage, and what a disk keeps of deleted files",
  "what providers and chat services have been sent",
];

export function holdingLines(holdings: readonly Holding[], stateDirectory: string): string[] {
  return holdings.map(({ kind, place, count, bytes, hasWords }) => {
    const name = NAMES[kind][count === 1 ? 0 : 1];
    const size = bytes === 0 ? "" : `, ${formatSize(bytes)}`;
    return `  ${count} ${name}${size}, in ${shortenPath(place, stateDirectory)}${hasWords ? "" : " (no text)"}`;
  });
}

export function copyLines(copies: readonly OpenClawCopy[], stateDirectory: string): string[] {
  const WHAT = {
    session: "the session",
    file: "",
    rows: "the transcript that it keeps of the deleted session",
  } as const;
  // Several sessions of a conversation are rows of one database.
  return copies.map(({ what, place, sessionId }) =>
    what === "file"
      ? `  ${shortenPath(place, stateDirectory)}`
      : `  ${WHAT[what]} ${visible(sessionId)}, in ${shortenPath(place, stateDirectory)}`,
  );
}

export function leftBehindLines({ sessionId, sessionKey, why, hasWords }: LeftBehind): string[] {
  const name = [sessionId, sessionKey]
    .filter((part) => part !== undefined)
    .map(visible)
    .join(", ");
  const words = hasWords ? "" : "; no text is left";
  return [
    `${name}: ${WHY[why]}${words}`,
    "  delete it:",
    `    ${ownCommand("purge", { argument: sessionId ?? sessionKey! })}`,
  ];
}

export function archiveLine(
  { path, bytes, modifiedAt }: { readonly path: string; readonly bytes: number; readonly modifiedAt: number },
  stateDirectory: string,
): string {
  return `  ${formatTime(modifiedAt)}  ${formatSize(bytes).padStart(8)}  ${shortenPath(path, stateDirectory)}`;
}

/** Names the sessions and conversations that a purge is about. */
export function subjectWords(sessionIds: Iterable<string>, sessionKeys: Iterable<string>): string {
  const [ids, keys] = [[...sessionIds], [...sessionKeys]];
  const parts = [
    ...(keys.length === 0 ? [] : [`${keys.length === 1 ? "conversation" : "conversations"} ${someNames(keys)}`]),
    ...(ids.length === 0 ? [] : [`${ids.length === 1 ? "session" : "sessions"} ${someNames(ids)}`]),
  ];
  return parts.join(", ");
}

function someNames(names: readonly string[]): string {
  const MAX_SHOWN = 5;
  const more = names.length > MAX_SHOWN ? ` and ${names.length - MAX_SHOWN} more` : "";
  return names.slice(0, MAX_SHOWN).map(visible).join(", ") + more;
}

/** Shortens a path in the state directory to a relative one. */
function shortenPath(path: string, stateDirectory: string): string {
  const below = relative(stateDirectory, path);
  return visible(below === "" || below.startsWith("..") ? path : below);
}

export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
