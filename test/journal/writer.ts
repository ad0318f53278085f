/**
 * A process of its own that uses a journal: `writer.ts <what> <file> ...`. It says on a line what has been done when
 * the call for it is back.
 */
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { writeSync } from "node:fs";
import { JournalError, openJournal } from "../../src/journal/index.ts";

const [what = "", file = "", name = "", count = "0"] = process.argv.slice(2);
const PATIENT_MS = 30_000;

/** On the pipe when it returns, kill or no kill. */
function say(line: string): void {
  writeSync(1, `${line}\n`);
}

/** Whole cycles, `count` of them or until it is killed, with a result that names its call. */
function cycles(): void {
  const journal = openJournal(file, { busyTimeoutMs: PATIENT_MS });
  say("open");
  const many = Number(count) || Number.POSITIVE_INFINITY;
  for (let at = 0; at < many; at++) {
    const callId = `${name}-${at}`;
    const [id = 0] = journal.cycles.pending([{ sessionId: name, callId, toolName: "read", inputHash: "h" }]);
    say(`pending ${callId}`);
    journal.cycles.start(id);
    say(`executing ${callId}`);
    journal.cycles.record(id, { content: `${callId} ${"x".repeat((at * 997) % 9000)}`, isError: false });
    say(`recording ${callId}`);
    // Every third one stays with its result.
    if (at % 3 !== 0) {
      journal.cycles.commit([id]);
      say(`committed ${callId}`);
    }
  }
  journal.close();
}

/** Opens a journal that others open at the same moment, with the patience that OpenClaw has. */
async function open(): Promise<void> {
  say("ready");
  await once(process.stdin, "data");
  try {
    const journal = openJournal(file);
    journal.incidents.log({ sessionId: name, kind: "opened", details: {} });
    say("opened");
    journal.close();
  } catch (error) {
    say(`failed ${error instanceof JournalError ? error.code : "raw"} ${String(error)}`);
  }
  process.stdin.destroy();
}

/** Holds a lock until it hears something. */
async function lock(): Promise<void> {
  const database = new DatabaseSync(file, { timeout: PATIENT_MS });
  if (name === "exclusive") database.exec("PRAGMA locking_mode = EXCLUSIVE");
  database.exec("BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS held (x)");
  say("locked");
  await once(process.stdin, "data");
  database.exec("ROLLBACK");
  database.close();
  process.stdin.destroy();
}

const WHAT: Record<string, () => void | Promise<void>> = { cycles, open, lock };
await WHAT[what]?.();
