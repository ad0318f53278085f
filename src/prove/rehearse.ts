/** Copies of a user's sessions through an OpenClaw that the user does not run yet. */
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readUserVersion } from "../base/sqlite/node-sqlite.ts";
import { placesIn } from "./openclaw/environment.ts";
import { nodeFor } from "./openclaw/node.ts";
import { readPackage } from "./openclaw/package.ts";
import type { SessionProof } from "./report.ts";
import { attempt, sessionKey, type ProveOptions } from "./run.ts";
import { refuseAbove } from "./sessions/sessions.ts";

/** A copy of a stored session. */
export interface SessionCopy {
  readonly id: string;
  /** What a scan has found in it, in plain words. */
  readonly fault: string;
  readonly sessionId: string;
  /** The file with its rows, one JSON text a line. */
  readonly file: string;
  /** Texts of its latest messages, as JSON without the quotation marks. */
  readonly latest: readonly string[];
}

/** What came of a rehearsal. */
export interface Rehearsed {
  /** None where OpenClaw ended at its start, which `failure` tells. */
  readonly sessions: readonly SessionProof[];
  readonly failure?: string;
  /** How this release keeps the sessions, which it was given as files. */
  readonly store: StoreFacts;
}

/** How a release keeps sessions. */
export interface StoreFacts {
  readonly form: "files" | "database" | "unknown";
  /** SQLite's `user_version` of an agent's database. */
  readonly version?: number;
}

/** The context of the model that the config names: 200,000 tokens of about four characters. */
const CONTEXT_CHARACTERS = 800_000;
const START_MS = 300_000;
const SESSION_MS = 600_000;

/**
 * Sends two messages to copies of sessions, in a temporary home and with the strict provider of {@link prove}: nothing
 * leaves the machine, and OpenClaw changes the copies of these copies only. Rejects for what prevents it: no Node for
 * this release, no room, too little time.
 */
export async function rehearse(
  root: string,
  copies: readonly SessionCopy[],
  options: ProveOptions = {},
): Promise<Rehearsed> {
  const openclaw = readPackage(root);
  if (openclaw === undefined) throw new Error(`there is no OpenClaw in ${root}`);
  const { node, wanted } = await nodeFor(openclaw, options);
  if (node === undefined) throw new Error(wanted);
  let store: StoreFacts = { form: "unknown" };
  const done = await attempt(
    {
      openclaw,
      node: node.path,
      options: { ...options, timeoutMs: START_MS + SESSION_MS * copies.length },
      rule: (body) => refuseAbove(CONTEXT_CHARACTERS, body),
      store: async (kept) => storeCopies((await kept.home).home, copies),
      look: (home) => void (store = storeFacts(home)),
      goesOn: true,
    },
    copies.map(({ id, fault, latest }) => ({ id, fault, latest, messages: [], success: "answered" })),
    true,
  );
  return { ...done, store };
}

/** As OpenClaw to 2026.7 keeps sessions: a later one takes them over when it starts, as at the user's update. */
function storeCopies(home: string, copies: readonly SessionCopy[]): void {
  const { sessions, agent, workspace, temporary } = placesIn(home);
  for (const folder of [sessions, agent, workspace, temporary]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const now = Date.now();
  // Nothing of the user's own entry: a model, an account or a channel that is named there is not configured here.
  const index = copies.map((copy) => {
    copyFileSync(copy.file, join(sessions, `${copy.sessionId}.jsonl`));
    const entry = { sessionId: copy.sessionId, updatedAt: now, sessionStartedAt: now, lastInteractionAt: now };
    return [sessionKey(copy), entry] as const;
  });
  writeFileSync(join(sessions, "sessions.json"), JSON.stringify(Object.fromEntries(index)));
}

function storeFacts(home: string): StoreFacts {
  const file = join(placesIn(home).agent, "openclaw-agent.sqlite");
  if (!existsSync(file)) return { form: "files" };
  const version = readUserVersion(file);
  return { form: "database", ...(version !== undefined && { version }) };
}
