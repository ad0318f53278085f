/** Opens this project's journal and OpenClaw's sessions for the commands on checkpoints, the timeline and routes. */
import { isThere } from "../../base/is-there.ts";
import { JournalError, journalFile, openJournal, type Checkpoint, type Journal } from "../../journal/index.ts";
import { findInstallation } from "../../patching/index.ts";
import {
  assertState,
  getCheckpoint,
  keepsRows,
  openSessionStore,
  stateDirectory,
  type SessionStore,
} from "../../store/index.ts";
import { storeError } from "../../store/errors.ts";
import type { CommonOptions } from "../run.ts";
import { quietly } from "../with-openclaw.ts";

/** Opens the journal; undefined when there is none yet. Throws as {@link assertState}, and a JournalError. */
export function openStateJournal(options: { readonly readOnly: boolean }): Journal | undefined {
  const state = stateDirectory();
  assertState(state);
  const file = journalFile(state);
  if (!isThere(file)) return undefined;
  try {
    return openJournal(file, { ...options, busyTimeoutMs: 5000 });
  } catch (error) {
    if (error instanceof JournalError && error.code === "missing") return undefined;
    throw error;
  }
}

/** Opens the journal and finds a checkpoint. Throws as {@link openStateJournal}, or `checkpoint-missing`. */
export function openCheckpoint(
  id: string,
  options: { readonly readOnly: boolean },
): { readonly journal: Journal; readonly checkpoint: Checkpoint } {
  const journal = openStateJournal(options);
  if (journal === undefined) {
    throw storeError("checkpoint-missing", {
      expected: `a checkpoint ${id} in the journal ${journalFile(stateDirectory())}`,
      found: "no journal",
      todo: "A patched OpenClaw creates it. If its state is elsewhere, set OPENCLAW_STATE_DIR. Nothing was changed.",
    });
  }
  try {
    return { journal, checkpoint: getCheckpoint(journal, id) };
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** Opens the sessions of the OpenClaw that the options select. */
export async function openStore(options: CommonOptions): Promise<SessionStore> {
  const { root } = findInstallation(options);
  return quietly(() => openSessionStore({ root, stateDirectory: stateDirectory() }));
}

/** Returns whether {@link openStore} loads OpenClaw's own code. */
export function loadsOpenClaw(options: CommonOptions): boolean {
  return keepsRows(findInstallation(options).root);
}
