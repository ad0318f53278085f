/** Stores the sessions of a proof in the form of the release. */
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../transcript/json/json.ts";
import { environmentIn, placesIn } from "./environment.ts";
import { lastWords, namesLimit, programFile, type Kept, type KeptHome } from "./kept.ts";
import type { OpenClawPackage } from "./package.ts";

/** A session to be stored. */
export interface SeedSession {
  /** The key of its conversation. */
  readonly key: string;
  readonly sessionId: string;
  readonly messages: readonly JsonObject[];
}

/** What the seeder is told. */
export interface SeedRequest {
  readonly root: string;
  readonly agentId: string;
  /** The file that must be there afterwards. */
  readonly database: string;
  readonly sessions: readonly SeedSession[];
}

/** How a session is stored. */
export type StoreForm = "rows" | "files";

const AGENT = "main";
const POLL_MS = 50;
const SEED_TIMEOUT_MS = 60_000;
const SECOND_MS = 1000;

/**
 * Stores sessions before OpenClaw is started: as rows, through OpenClaw's own session manager, where it makes a
 * database of them, else as JSONL files. Rejects where the session manager is killed, does not end in a minute, or says
 * that a limit of the machine is the reason, and with what the file system throws.
 */
export async function storeSessions(
  kept: Kept,
  openclaw: OpenClawPackage,
  node: string,
  env: NodeJS.ProcessEnv,
  sessions: readonly { readonly key: string; readonly messages: readonly JsonObject[] }[],
): Promise<StoreForm> {
  const place = await kept.home;
  const { home } = place;
  const timed = sessions.map(({ key, messages }) => ({
    key,
    sessionId: randomUUID(),
    messages: timestamped(messages),
  }));
  makeFolders(home);
  if (openclaw.offersSessions && (await asRows(kept, place, openclaw, node, env, timed))) return "rows";
  asFiles(home, timed);
  return "files";
}

async function asRows(
  kept: Kept,
  place: KeptHome,
  { root }: OpenClawPackage,
  node: string,
  env: NodeJS.ProcessEnv,
  sessions: readonly SeedSession[],
): Promise<boolean> {
  const { home } = place;
  const file = join(home, "sessions-to-store.json");
  const database = join(placesIn(home).agent, "openclaw-agent.sqlite");
  writeFileSync(file, JSON.stringify({ root, agentId: AGENT, database, sessions } satisfies SeedRequest));
  kept.start({
    command: node,
    args: ["--no-warnings", programFile("seeder"), file],
    env: environmentIn(place, env),
    cwd: home,
  });
  const isOver = kept.limit(SEED_TIMEOUT_MS);
  while (kept.ended === undefined) {
    if (isOver()) throw new Error(`its session manager stored nothing in ${SEED_TIMEOUT_MS / 1000} s`);
    await sleep(POLL_MS);
  }
  if (kept.output.includes('\n{"stored":true}\n')) return true;
  // A release without such a session manager says so by itself.
  if (!/^\d+$/.test(kept.ended) || namesLimit(kept.output))
    throw new Error(`its session manager ended (${kept.ended})${lastWords(kept.output)}`);
  // What it may have begun would be in the way of files.
  rmSync(placesIn(home).state, { recursive: true, force: true });
  makeFolders(home);
  return false;
}

function asFiles(home: string, sessions: readonly SeedSession[]): void {
  const folder = placesIn(home).sessions;
  const updatedAt = Date.now();
  for (const { sessionId, messages } of sessions)
    writeFileSync(join(folder, `${sessionId}.jsonl`), writeTranscript(sessionId, messages));
  const index = Object.fromEntries(sessions.map(({ key, sessionId }) => [key, { sessionId, updatedAt }]));
  writeFileSync(join(folder, "sessions.json"), JSON.stringify(index));
}

function writeTranscript(id: string, messages: readonly JsonObject[]): string {
  const ids = messages.map(() => randomUUID().slice(0, 8));
  const entries = messages.map((message, at) => ({
    type: "message",
    id: ids[at],
    parentId: ids[at - 1] ?? null,
    timestamp: new Date(Number(message.timestamp)).toISOString(),
    message,
  }));
  const header = { type: "session", version: 3, id, timestamp: entries[0]?.timestamp, cwd: "/workspace" };
  return [header, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

/** Gives messages the present time: OpenClaw starts a new session when the last one of a conversation is old. */
function timestamped(messages: readonly JsonObject[]): readonly JsonObject[] {
  const start = Date.now() - messages.length * SECOND_MS;
  return messages.map((message, at) => ({ ...message, timestamp: start + at * SECOND_MS }));
}

function makeFolders(home: string): void {
  const { sessions, agent, workspace, temporary } = placesIn(home);
  for (const folder of [sessions, agent, workspace, temporary]) mkdirSync(folder, { recursive: true, mode: 0o700 });
}
