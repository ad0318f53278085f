import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Continuity, openSqliteStore } from "../../src/continuity/index.ts";
import { continuityFile } from "../../src/continuity-tools/index.ts";
import { writeIncident } from "../../src/plugin/sessions/incident.ts";
import { ScanMemory } from "../../src/health/index.ts";
import { journalFile, openJournal } from "../../src/journal/index.ts";
import { KnownSessions } from "../../src/privacy/index.ts";
import { transcriptArchivePath } from "../../src/store/archives/archive-file.ts";
import { writeManifest } from "../../src/store/archives/manifest.ts";
import { openTimelineIndex, timelineIndexFile } from "../../src/timetravel/timeline-index/index.ts";
import { closeRecords } from "../../src/workspace/records/kept-open.ts";
import { WorkspaceStore } from "../../src/workspace/index.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";

/** A session of which something is kept in every place that there is. */
export interface FilledSession {
  readonly id: string;
  readonly key: string;
  readonly transcript: string;
  readonly archive: string;
  /** Stand in what was said, found out and noted; no other session has them. */
  readonly words: readonly string[];
}

/** The sessions of a state directory with transcripts that are files. */
export function sessionsFolder(stateDir: string): string {
  return join(stateDir, "agents", "main", "sessions");
}

/**
 * Fills every place of ours with something about a new session of a state directory, in which its transcript lies and
 * OpenClaw's index names it.
 */
export async function fillSession(stateDir: string, name: string, { isStored = true } = {}): Promise<FilledSession> {
  const id = `${createHash("sha256").update(name).digest("hex").slice(0, 8)}-0000-4000-8000-000000000000`;
  const key = `agent:main:telegram:dm:${name}`;
  const folder = sessionsFolder(stateDir);
  mkdirSync(folder, { recursive: true });
  const word = (what: string): string => `${name}-${what}-quokka`;
  const transcript = join(folder, `${id}.jsonl`);
  const text = toTranscript([
    { role: "user", content: word("said") },
    { role: "assistant", content: [{ type: "text", text: word("answered") }], stopReason: "stop" },
  ]);
  const sha256 = createHash("sha256").update(text).digest("hex");
  const archive = transcriptArchivePath(transcript, sha256);
  writeFileSync(archive, text);
  for (const draft of [archive, transcript].map((file) => `${file}.integrity-${id.slice(0, 8).repeat(2)}.tmp`)) {
    writeFileSync(draft, text.slice(0, -20));
    utimesSync(draft, 1, 1);
  }
  if (isStored) {
    writeFileSync(transcript, text);
    const index = join(folder, "sessions.json");
    writeFileSync(index, JSON.stringify({ ...readJson(index), [key]: { sessionId: id, updatedAt: Date.now() } }));
  }
  fillJournal(stateDir, { id, key, word });
  fillTimeline(stateDir, { id, key, word });
  writeManifest(stateDir, { sessionId: id, sessionKey: key, leafEntryId: "e1", messages: 2, sha256 });
  writeIncident(stateDir, {
    sessionId: id,
    sessionKey: key,
    agentId: "main",
    foundBy: "scan",
    action: "left",
    examination: {
      violations: [],
      entries: [],
      messages: 2,
      openCalls: 0,
      leftOut: 0,
      unreadable: 0,
      torn: 0,
    } as never,
  });
  const scanned = new ScanMemory(stateDir);
  scanned.note(
    { place: transcript, sessionId: id, watermark: "w" } as never,
    { violations: [], entries: [], messages: 1, openCalls: 0 } as never,
    1,
  );
  scanned.save();
  new KnownSessions(stateDir).note([{ agentId: "main", sessionId: id, sessionKey: key, transcript }]);
  await fillWork(stateDir, { key, word });
  await fillWorkspace(stateDir, { id, key, word });
  return {
    id,
    key,
    transcript,
    archive,
    words: ["said", "answered", "result", "call", "snapshot", "reason", "name", "goal", "step"].map(word),
  };
}

interface Filling {
  readonly id: string;
  readonly key: string;
  readonly word: (what: string) => string;
}

function fillJournal(stateDir: string, { id, key, word }: Filling): void {
  const journal = openJournal(journalFile(stateDir));
  for (let at = 0; at < 5; at++) {
    const [cycle = 0] = journal.cycles.pending([
      { sessionId: id, callId: `c${at}`, toolName: "read", inputHash: "h", call: { text: word("call") } },
    ]);
    journal.cycles.start(cycle);
    journal.cycles.record(cycle, { content: word("result"), isError: false });
    if (at > 2) journal.cycles.commit([cycle]);
  }
  journal.unanswered.note({
    sessionId: id,
    entryId: "e9",
    parentId: null,
    message: { role: "user", content: word("said") },
  });
  journal.checkpoints.create({
    sessionId: id,
    operation: "manual",
    messageIndex: 1,
    contentHash: "h",
    firstEntryId: "e0",
    leafEntryId: "e1",
    snapshot: [word("snapshot")],
  });
  journal.incidents.log({ sessionId: id, kind: "history", details: { sessionKey: key } });
  journal.learned.put("session", id, "form", { of: id }, 1);
  // By the conversation only.
  journal.incidents.log({ kind: "history", details: { sessionKey: key } });
  journal.close();
}

/** Two sessions change files of one workspace. */
async function fillWorkspace(stateDir: string, { id, key, word }: Filling): Promise<void> {
  const workspace = `${stateDir}-workspace`;
  mkdirSync(workspace, { recursive: true });
  const store = WorkspaceStore.at(stateDir, workspace);
  await store.use(async ({ records, capture }) => {
    const step = records.begin({ sessionId: id, sessionKey: key }, (await capture()).tree);
    writeFileSync(join(workspace, `${word("path")}.txt`), word("file"));
    records.end(step, (await capture()).tree, "entry:e1");
    rmSync(join(workspace, `${word("path")}.txt`));
  });
  closeRecords(store.folder);
}

function fillTimeline(stateDir: string, { id, key, word }: Filling): void {
  const index = openTimelineIndex(timelineIndexFile(stateDir));
  index.actions.keep(id, [
    {
      kind: "ABORTED",
      intentId: "i",
      from: "e0",
      to: "e1",
      carryoverId: "e2",
      by: "agent",
      time: "2026-02-05T00:00:00.000Z",
      reason: word("reason"),
    },
  ]);
  index.references.set({ sessionId: id, sessionKey: key }, word("name"), { id: "e0", hash: "h" });
  index.close();
}

async function fillWork(stateDir: string, { key, word }: Pick<Filling, "key" | "word">): Promise<void> {
  const continuity = new Continuity({
    store: openSqliteStore({ file: continuityFile(stateDir) }),
    snapshots: { everyEvents: 2 },
  });
  const project = await continuity.project(key);
  await project.createGoal({ text: word("goal") });
  const lease = await project.acquireLease({ owner_id: "laptop/1/2/ab" });
  await project.runStep(lease, { step_id: "one", step_type: "pure" }, async () => word("step"));
  await lease.release();
  await continuity.close();
}

function readJson(file: string): object {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as object;
  } catch {
    return {};
  }
}
