/** Copies of the operator's worst sessions: nothing in the state directory is opened but for reading plain bytes. */
import { copyFileSync, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { isObject } from "../../transcript/json/json.ts";
import { makeFolder } from "../../base/files/index.ts";
import { readUserVersion } from "../../base/sqlite/node-sqlite.ts";
import {
  countFaults,
  describeFaults,
  isSound,
  needsRepair,
  scan,
  toConversation,
  type ScannedSession,
} from "../../health/index.ts";
import { readIncidents } from "../../doctor/incidents.ts";
import type { SessionCopy } from "../../prove/index.ts";
import { openCatalog, type Catalog, type SessionSummary } from "../../store/index.ts";
import { agentsIn } from "../../store/state-directory.ts";
import { listTranscripts } from "../../store/catalog/files.ts";
import { agentDatabase, isIncognito } from "../../store/sessions/session-coordinates.ts";
import { rehearsalError } from "../rehearsal-place.ts";

/** A copied session, and how the report names it. */
export interface CopiedSession extends SessionCopy {
  readonly key: string;
}

/** The copies, and how the operator's OpenClaw keeps its sessions. */
export interface Copies {
  readonly sessions: readonly CopiedSession[];
  /** How many sessions there are. */
  readonly all: number;
  readonly unread: number;
  readonly form: "files" | "database";
  /** SQLite's `user_version` of the agents' databases, the highest. */
  readonly version?: number;
}

/** The bytes of the databases, which are copied as a whole before they are read. */
export function databaseBytes(state: string): number {
  return databases(state).reduce((sum, file) => sum + parts(file).reduce((all, part) => all + sizeAt(part), 0), 0);
}

/**
 * Copies at most `most` sessions into `folder`: those with faults or incidents, the largest, the deepest, and a few
 * sound ones. `mirror` gets copies of the databases: SQLite leaves files beside one that it only reads.
 */
export async function copySessions(
  state: string,
  { folder, mirror, most, onProgress }: { folder: string; mirror: string; most: number; onProgress: ScanProgress },
): Promise<Copies> {
  const files = databases(state);
  for (const file of files) copyDatabase(file, mirrored(file, state, mirror));
  const rows = openCatalog(mirror);
  try {
    const problems: string[] = [];
    const transcripts = agentsIn(state).flatMap((agent) =>
      listTranscripts(agent, join(state, "agents", agent, "sessions"), (sentence) => problems.push(sentence)),
    );
    const inRows = rows.list();
    const listed = [...transcripts, ...inRows.sessions].filter(({ sessionKey }) => !isIncognito(sessionKey));
    // No turn is sent from another one, unless OpenClaw's list of conversations is lost.
    const all = listed.some(({ isCurrent }) => isCurrent) ? listed.filter(({ isCurrent }) => isCurrent) : listed;
    const catalog: Catalog = { ...rows, list: () => ({ sessions: all, problems: [] }) };
    const { sessions } = await scan(catalog, { onProgress });
    const versions = files.flatMap((file) => readUserVersion(mirrored(file, state, mirror)) ?? []);
    const chosen = choose(sessions, catalog, { most, refused: refusedSessions(state) });
    return {
      sessions: chosen.map((one, at) => copyOne(one, catalog, folder, at + 1)),
      all: sessions.length,
      unread: sessions.filter(({ examination }) => examination === undefined).length,
      form: inRows.sessions.length > 0 ? "database" : "files",
      ...(versions.length > 0 && { version: Math.max(...versions) }),
    };
  } finally {
    rows.close();
  }
}

type ScanProgress = (done: number, all: number) => void;

/** A session that is copied, and why. */
interface Chosen {
  readonly session: SessionSummary;
  readonly why: string;
}

/** How many sound sessions are copied at least, where there are as many: of each four one, and two at most. */
const [SHARE, SOUND] = [4, 2];

/** The worst first: with faults, refused before, the largest, the deepest; then the sound ones that were used last. */
function choose(
  scanned: readonly ScannedSession[],
  catalog: Catalog,
  { most, refused }: { readonly most: number; readonly refused: ReadonlySet<string> },
): readonly Chosen[] {
  // Two stores can have one id, and OpenClaw's list of conversations has each once.
  const byId = new Map(scanned.filter(({ examination }) => examination).map((one) => [one.session.sessionId, one]));
  const all = [...byId.values()].filter(({ examination }) => examination!.messages > 0);
  const byMessages = all.toSorted((one, other) => other.examination!.messages - one.examination!.messages);
  const bySize = byMessages
    .map((one) => ({ one, size: sizeIn(one, catalog, byMessages.indexOf(one) < most) }))
    .toSorted((one, other) => other.size - one.size)
    .map(({ one }) => one);
  const faulty = all
    .filter((one) => needsRepair(one))
    .toSorted((one, other) => countFaults(other.examination!) - countFaults(one.examination!));
  const wasRefused = all.filter(({ session }) => refused.has(session.sessionId));
  const sound = all.filter((one) => one.examination !== undefined && isSound(one.examination));
  const why = new Map<SessionSummary, string>();
  const take = (some: readonly ScannedSession[], limit: number, words: (one: ScannedSession) => string): void => {
    for (const one of some) {
      if (why.size >= limit) return;
      if (!why.has(one.session)) why.set(one.session, words(one));
    }
  };
  const extremes = new Set([bySize[0], byMessages[0]]).size;
  const rest = Math.max(1, most - extremes - Math.min(SOUND, Math.floor(most / SHARE), sound.length));
  take(faulty, rest, ({ examination }) => describeFaults(examination!).join("; "));
  take(wasRefused, rest, () => "refused or repaired before");
  take(bySize.slice(0, 1), most, () => "the largest");
  take(byMessages.slice(0, 1), most, () => "the longest");
  take(sound, most, () => "without a fault");
  take(all, most, ({ examination }) => describeFaults(examination!).join("; ") || "without a fault");
  return [...why].map(([session, words]) => ({ session, why: words }));
}

/** The bytes of a session; of rows only those of the longest sessions are counted. */
function sizeIn({ session }: ScannedSession, catalog: Catalog, isLong: boolean): number {
  if (session.kind === "file") return sizeAt(session.place);
  return isLong ? JSON.stringify(catalog.read(session).rows).length : 0;
}

function refusedSessions(state: string): ReadonlySet<string> {
  return new Set(readIncidents(state).list.flatMap(({ sessionId }) => sessionId ?? []));
}

function copyOne({ session, why }: Chosen, catalog: Catalog, folder: string, nth: number): CopiedSession {
  const stored = catalog.read(session);
  const file = join(folder, `${nth}.jsonl`);
  if (session.kind === "file") copyFileSync(session.place, file);
  else writeFileSync(file, stored.rows.map((row) => `${JSON.stringify(row)}\n`).join(""), { mode: 0o600 });
  const { messages } = toConversation(stored, session);
  return {
    id: `copy-${nth}`,
    key: session.sessionKey ?? session.sessionId,
    fault: why,
    sessionId: /^[\w-]+$/.test(session.sessionId) ? session.sessionId : randomUUID(),
    file,
    latest: latestTexts(messages),
  };
}

/** Enough to be one message's alone, and short enough to be on one line of it. */
const [LEAST, LONGEST] = [12, 60];
const LATEST = 8;

/** Parts of the texts of the latest messages, as they are in the JSON of a request. */
function latestTexts(messages: readonly unknown[]): readonly string[] {
  return messages
    .slice(-LATEST)
    .flatMap(textsIn)
    .flatMap((text) => text.split("\n").map((line) => line.trim()))
    .filter((line) => line.length >= LEAST)
    .map((line) => JSON.stringify(line.slice(0, LONGEST)).slice(1, -1));
}

function textsIn(message: unknown): readonly string[] {
  if (!isObject(message) || (message.role !== "user" && message.role !== "assistant")) return [];
  const { content } = message;
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) =>
    isObject(block) && block.type === "text" && typeof block.text === "string" ? [block.text] : [],
  );
}

function databases(state: string): readonly string[] {
  return agentsIn(state)
    .map((agent) => agentDatabase(state, agent))
    .filter((file) => existsSync(file));
}

/** The database, and what was written last and is not in it yet. */
function parts(file: string): readonly string[] {
  return [file, `${file}-wal`].filter((part) => existsSync(part));
}

function mirrored(file: string, state: string, mirror: string): string {
  return join(mirror, file.slice(state.length));
}

const TRIES = 20;

/** Copies a database whose two files did not change meanwhile. Throws `could-not-run` for one that always does. */
function copyDatabase(file: string, to: string): void {
  makeFolder(join(to, ".."));
  for (let nth = 0; nth < TRIES; nth++) {
    const before = stamp(file);
    rmSync(`${to}-wal`, { force: true });
    for (const part of parts(file)) copyFileSync(part, `${to}${part.slice(file.length)}`);
    if (stamp(file) === before) return;
  }
  throw rehearsalError("could-not-run", {
    expected: `a moment in which nobody writes to ${file}`,
    found: "none",
    todo: "Run it again when the gateway has less to do. Nothing was changed.",
  });
}

function stamp(file: string): string {
  return parts(file)
    .map((part) => {
      const { size, mtimeMs, ino } = statSync(part);
      return `${ino}:${size}:${mtimeMs}`;
    })
    .join(" ");
}

function sizeAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
