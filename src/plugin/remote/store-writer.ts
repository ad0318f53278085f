/**
 * Operations that need OpenClaw's session code. They run in a process of their own, because loading that code takes
 * seconds, in which no gateway may block, and because OpenClaw 2026.9.6 copies everything that a plugin imports.
 */
import { existsSync } from "node:fs";
import { repairStored, type RepairedSession } from "../../health/index.ts";
import { journalFile, openJournal, type Journal } from "../../journal/index.ts";
import {
  findSession,
  findSummary,
  openCatalog,
  openSessionStore,
  rollBackSession,
  rollBackTo,
  type RolledBack,
  type SessionSummary,
  type StoredSession,
} from "../../store/index.ts";
import { storeError } from "../../store/errors.ts";
import { makeWorkReader } from "../continuity/move.ts";
import { ownWork } from "../continuity/register.ts";
import type { ContinuityWork } from "../continuity/work.ts";
import type { ContinuityConfig } from "../settings/continuity.ts";
import type { RepairStrategy } from "../../transcript/repair.ts";
import { type Fork, forkStored, type StoredFork } from "../../timetravel/fork-stored.ts";
import type { Files } from "../../timetravel/files/places.ts";
import type { Decision } from "../../workspace/index.ts";
import { rewindStored } from "../../timetravel/rewind-stored.ts";
import type { Rewound } from "../../timetravel/rewind.ts";
import { validate } from "../../transcript/validate.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** The state directory with the sessions, and the folder of the OpenClaw that works with them. */
interface Place {
  readonly stateDirectory: string;
  readonly root: string;
}

interface WithWork {
  /** Where the recorded work of conversations is; undefined where it is not told. */
  readonly continuity?: ContinuityConfig | undefined;
}

/** Returns the recorded work, which the caller closes, and what cannot be read of it by then. */
function workFor(
  config: ContinuityConfig | undefined,
  stateDirectory: string,
): { readonly work: ContinuityWork | undefined; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const add = (problem: string): void => void problems.push(problem);
  return { work: config && ownWork({ config, stateDirectory, log: { error: add, warn: add } }), problems };
}

/** The methods of the writer process. Each takes one argument and returns plain data. They reject with StoreErrors. */
export class StoreWriter {
  /** See {@link repairStored}. */
  async repair({
    session,
    strategy,
    stateDirectory,
    root,
  }: Place & { readonly session: SessionSummary; readonly strategy: RepairStrategy }): Promise<RepairedSession> {
    const catalog = openCatalog(stateDirectory);
    try {
      return await repairStored(catalog, session, { stateDirectory, strategy, root: () => root });
    } finally {
      catalog.close();
    }
  }

  /**
   * See {@link rollBackTo}. With `of`, only to a checkpoint of that session; for any other checkpoint the error does
   * not reveal whether it exists.
   */
  async rollBack({
    checkpointId,
    of,
    ...place
  }: Place & { readonly checkpointId: string; readonly of?: string | undefined }): Promise<RolledBack> {
    return withJournal(place, async (journal) => {
      if (of !== undefined && journal.checkpoints.get(checkpointId)?.sessionId !== of) {
        throw storeError("checkpoint-foreign", {
          expected: "the id of a checkpoint of this conversation",
          found: JSON.stringify(checkpointId),
          todo: "/l0-checkpoints shows them. Nothing was changed.",
        });
      }
      return rollBackTo(await openSessionStore(place), journal, checkpointId);
    });
  }

  /**
   * See {@link rewindStored}. `which` is never interpreted as a path. Without `withWords` a refusal quotes no messages.
   */
  async rewind({
    which,
    place,
    note,
    withWords,
    expectedHead,
    files,
    conflicts,
    continuity,
    ...state
  }: Place &
    WithWork & {
      readonly which: string;
      readonly place: string;
      readonly note?: string;
      readonly withWords: boolean;
      readonly expectedHead?: string | null;
      readonly files?: Files;
      readonly conflicts?: Decision | undefined;
    }): Promise<Rewound> {
    const { work, problems } = workFor(continuity, state.stateDirectory);
    const catalog = openCatalog(state.stateDirectory);
    try {
      const { sessionId, agentId } = findSummary(catalog, which);
      const rewound = await rewindStored(catalog, await openSessionStore(state), state.stateDirectory, {
        which: sessionId,
        agentId,
        place,
        note,
        withWords,
        expectedHead,
        files,
        conflicts,
        toWorkReader: (key) => continuity && makeWorkReader(work, continuity, key),
      });
      return { ...rewound, problems: [...rewound.problems, ...problems] };
    } finally {
      catalog.close();
      await work?.close();
    }
  }

  /** See {@link forkStored}. `which` is never interpreted as a path. */
  async fork({
    stateDirectory,
    root,
    continuity,
    ...fork
  }: Place & WithWork & Omit<StoredFork, "agentId" | "toWorkReader">): Promise<Fork> {
    const { work, problems } = workFor(continuity, stateDirectory);
    const catalog = openCatalog(stateDirectory);
    try {
      const { sessionId, agentId } = findSummary(catalog, fork.which);
      const store = await openSessionStore({ stateDirectory, root });
      const forked = await forkStored(catalog, store, stateDirectory, {
        ...fork,
        which: sessionId,
        agentId,
        toWorkReader: (key) => continuity && makeWorkReader(work, continuity, key, { isFork: true }),
      });
      return { ...forked, problems: [...forked.problems, ...problems] };
    } finally {
      catalog.close();
      await work?.close();
    }
  }

  /**
   * Rolls a conversation back to its youngest checkpoint without faults before it. Returns the id of that checkpoint;
   * undefined when there is none.
   */
  async rollBackToSound({
    session: { sessionId, agentId },
    ...place
  }: Place & { readonly session: SessionSummary }): Promise<string | undefined> {
    return withJournal(place, async (journal) => {
      const session = findSession(await openSessionStore(place), sessionId, agentId);
      for (const checkpoint of journal.checkpoints.list(sessionId).toReversed()) {
        if (!isSoundBefore(session, checkpoint.leafEntryId)) continue;
        const isDone = await rollBackSession(session, journal, checkpoint).then(
          ({ action }) => action === "rolled-back",
          () => false,
        );
        if (isDone) return checkpoint.id;
      }
      return undefined;
    });
  }
}

function isSoundBefore(session: StoredSession, leafEntryId: string | null): boolean {
  if (leafEntryId !== null && !session.has(leafEntryId)) return false;
  const messages = [...session.read(session.path(leafEntryId).filter(({ type }) => type === "message"))].map(
    ({ message }) => message,
  );
  return validate(messages, { spelling: "openclaw" }).length === 0;
}

async function withJournal<Value>(
  { stateDirectory }: Place,
  work: (journal: Journal) => Promise<Value>,
): Promise<Value> {
  const file = journalFile(stateDirectory);
  if (!existsSync(file)) {
    throw storeError("checkpoint-missing", {
      expected: `checkpoints in ${file}`,
      found: "no journal",
      todo: `The core patch creates it: \`${ownCommand("apply")}\`. Nothing was changed.`,
    });
  }
  const journal = openJournal(file, { busyTimeoutMs: 5000 });
  try {
    return await work(journal);
  } finally {
    journal.close();
  }
}
