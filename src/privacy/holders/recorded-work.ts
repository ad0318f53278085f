import { existsSync } from "node:fs";
import {
  assertRemovable,
  projectNames,
  removeProjects,
  storedProjects,
  type StoredProject,
  type TablesPlace,
} from "../../continuity/removal.ts";
import { ContinuityError, type ObjectStorage } from "../../continuity/index.ts";
import type { Holder, Subject } from "./holder.ts";

/** Where the work of conversations is recorded, and under which names. */
export interface WorkPlace {
  readonly tables: TablesPlace;
  readonly objects?: ObjectStorage | undefined;
  /** The project of one conversation alone; undefined where it shares a project with others. */
  readonly toProject: (sessionKey: string) => string | undefined;
  /** Deletes even while an executor holds the project's lease. */
  readonly force?: boolean;
}

/** The recorded work of conversations as a holder: goals, tasks, checkpoints, results of steps. */
export function recordedWork({ tables, objects, toProject, force = false }: WorkPlace): Holder {
  const place = tables.file ?? `schema ${tables.schema ?? "continuity"}`;
  const isThere = tables.file === undefined || existsSync(tables.file);
  const names = ({ sessionKeys }: Subject): string[] => [...sessionKeys].flatMap((key) => toProject(key) ?? []);
  const stored = async (subject: Subject): Promise<StoredProject[]> => {
    if (!isThere || names(subject).length === 0) return [];
    return (await unlessMissing(() => storedProjects(tables, names(subject), { objects }))) ?? [];
  };
  return {
    async find(subject) {
      return (await stored(subject)).map(({ events, snapshots, steps, objects: named, size }) => ({
        kind: "recorded_work",
        place,
        count: events + snapshots + steps + named.length,
        bytes: size,
        hasWords: true,
      }));
    },
    async check(subject) {
      for (const project of await stored(subject)) assertRemovable(project, { objects, force });
    },
    async erase(subject) {
      if (!isThere || names(subject).length === 0) return [];
      const removed = await unlessMissing(() => removeProjects(tables, names(subject), { objects, force }));
      return removed?.left === undefined ? [] : [removed.left];
    },
  };
}

/** Lists the names under which work is recorded: keys of conversations, or of agents. */
export async function recordedNames({ tables }: WorkPlace): Promise<string[]> {
  if (tables.file !== undefined && !existsSync(tables.file)) return [];
  return (await unlessMissing(() => projectNames(tables))) ?? [];
}

/** Runs `work`; undefined where the server has no such schema and so no data. */
async function unlessMissing<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ContinuityError && error.code === "not-found") return undefined;
    throw error;
  }
}
