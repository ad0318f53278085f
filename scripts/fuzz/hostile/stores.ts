/**
 * Real stores, whose pages are then changed: the journal, recorded work, and the database of an agent as OpenClaw
 * 2026.9.6 writes it.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Continuity, openSqliteStore } from "../../../src/continuity/index.ts";
import { continuityFile } from "../../../src/continuity-tools/index.ts";
import { journalFile, openJournal } from "../../../src/journal/index.ts";
import { ensureRelease } from "../../../harness/openclaw/ensure-release.ts";
import { transcriptPath } from "../../../harness/corpus/case.ts";
import { startOpenClaw } from "../../../harness/openclaw/index.ts";
import { startProvider } from "../../../harness/providers/index.ts";

/** What is in each store, by its path in a state directory. */
export type StoreName = "journal" | "continuity" | "agent";
export interface RealStores {
  readonly paths: Readonly<Record<StoreName, string>>;
  readonly files: Readonly<Record<StoreName, string>>;
}

const AGENT = join("agents", "main", "agent", "openclaw-agent.sqlite");
const CASES = ["c-content-filter-cuts-long-write", "a-limit-halves-parallel-calls", "d-crash-tail"];

/** Makes the three in a folder of their own; `close` removes it. */
export async function makeStores(): Promise<RealStores & { close(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "openclaw-integrity-fuzz-"));
  try {
    const files = {
      journal: join(folder, "journal"),
      continuity: join(folder, "continuity"),
      agent: join(folder, "agent"),
    };
    await makeAgent(files.agent);
    makeJournal(files.journal);
    await makeContinuity(files.continuity);
    const paths = {
      journal: relativeTo(journalFile),
      continuity: relativeTo((directory) => continuityFile(directory, "openclaw")),
      agent: AGENT,
    };
    return { paths, files, close: () => rmSync(folder, { recursive: true, force: true }) };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function relativeTo(place: (directory: string) => string): string {
  return place("/state").slice("/state/".length);
}

async function makeAgent(file: string): Promise<void> {
  const { stock } = await ensureRelease("2026.9.6");
  const provider = await startProvider();
  const driver = await startOpenClaw({ root: dirname(dirname(stock)), release: "2026.9.6", providerUrl: provider.url });
  try {
    for (const id of CASES)
      await driver.run({
        transcript: readFileSync(transcriptPath(id), "utf8"),
        api: "anthropic-messages",
        messages: ["hello"],
      });
    const copy = new DatabaseSync(join(driver.stateDir, AGENT));
    copy.exec(`VACUUM INTO '${file}'`);
    copy.close();
  } finally {
    await driver.close();
    await provider.close();
  }
}

function makeJournal(file: string): void {
  const journal = openJournal(`${file}-made`);
  for (let at = 0; at < 40; at++) {
    const sessionId = `session-${at % 3}`;
    const { id } = journal.checkpoints.create({
      sessionId,
      operation: "api_call",
      messageIndex: at,
      contentHash: `hash-${at}`,
      firstEntryId: "e0",
      leafEntryId: `e${at}`,
    });
    if (at % 2 === 0) journal.checkpoints.commit(id);
    const [cycle] = journal.cycles.pending([
      { sessionId, callId: `call_${at}`, toolName: "read", inputHash: `input-${at}` },
    ]);
    journal.cycles.start(cycle!);
    journal.incidents.log({ sessionId, kind: "repaired", details: { words: "what was found ".repeat(at) } });
  }
  journal.close();
  compact(`${file}-made`, file);
}

async function makeContinuity(file: string): Promise<void> {
  const continuity = new Continuity({ store: openSqliteStore({ file: `${file}-made` }) });
  const project = await continuity.project("a project");
  const { goal_id } = await project.createGoal({ text: "a goal", priority: 1 });
  for (let at = 0; at < 20; at++) {
    const { task_id } = await project.addTask({ goal_id, title: `task ${at}`, acceptance_criteria: ["it is done"] });
    if (at < 10) {
      await project.startTask({ task_id });
      await project.updateCheckpoint({
        task_id,
        where_we_left_off: "in the middle",
        next_step: "go on",
        needed_context_refs: [],
        blockers: [],
      });
      await project.completeTask({ task_id });
    }
  }
  await continuity.close();
  compact(`${file}-made`, file);
}

/** One file without a log beside it. */
function compact(from: string, to: string): void {
  const database = new DatabaseSync(from);
  database.exec(`VACUUM INTO '${to}'`);
  database.close();
}

/** Puts bytes in the place of a store, in a state directory without anything else of it. */
export function putStore(
  stateDir: string,
  { paths, files }: RealStores,
  name: StoreName,
  change: (bytes: Buffer) => Buffer,
  write: (file: string, bytes: Buffer) => void,
): string {
  const file = join(stateDir, paths[name]);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(`${file}${suffix}`, { force: true });
  cpSync(files[name], file);
  write(file, change(readFileSync(file)));
  return file;
}
