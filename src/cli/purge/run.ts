import { assertState, openCatalog, stateDirectory } from "../../store/index.ts";
import { setAsideDatabases, damagedInUse, leftBehind, namesAt, type PurgePlace } from "../../privacy/index.ts";
import { journalError } from "../../journal/errors.ts";
import { setAside } from "../../journal/index.ts";
import { purgeArchives } from "./archives.ts";
import { purgeDamaged } from "./damaged.ts";
import { workPlaces } from "./place.ts";
import { purgeDeleted, purgeSession } from "./sessions.ts";
import { leftBehindLines } from "./text.ts";
import type { PurgeOptions, PurgeRun } from "./options.ts";
import { runAsking } from "../question.ts";
import type { Outcome } from "../run.ts";

/** `openclaw-integrity purge`: exit code 0 when done or nothing to do, 1 when refused or when data is left. */
export async function purgeCommand(session: string | undefined, options: PurgeOptions): Promise<void> {
  await runAsking(options, async () => {
    const directory = stateDirectory();
    assertState(directory);
    const { places, warnings } = workPlaces(directory, options);
    putAsideDamaged(directory, options);
    const place: PurgePlace = { stateDirectory: directory, work: places, rewrite: true };
    const catalog = openCatalog(directory);
    try {
      const names = await namesAt(place, catalog);
      const outcome = await toOutcome(session, { options, place, catalog, names });
      return { ...outcome, warnings: [...warnings, ...names.problems, ...(outcome.warnings ?? [])] };
    } finally {
      catalog.close();
    }
  });
}

function toOutcome(session: string | undefined, run: PurgeRun): Promise<Outcome> | Outcome {
  const { archives = false, olderThan, list = false, deleted = false } = run.options;
  if (list) return listed(run);
  if (deleted) return purgeDeleted(run);
  if (archives || olderThan !== undefined) return purgeArchives(session, run);
  return session === undefined ? purgeDamaged(run) : purgeSession(session, run);
}

function listed({ names, place: { stateDirectory: directory } }: PurgeRun): Outcome {
  const found = leftBehind(names);
  const withWords = found.filter(({ hasWords }) => hasWords);
  const others = found.length - withWords.length;
  return {
    data: { leftBehind: found, damaged: setAsideDatabases(directory).map(({ path, bytes }) => ({ path, bytes })) },
    lines: [
      ...(withWords.length === 0
        ? [`no text is left of sessions that OpenClaw no longer has, in ${directory}`]
        : withWords.flatMap(leftBehindLines)),
      ...(others === 0 ? [] : [`of ${others} more, only ids, hashes and kinds of faults are left (--json lists them)`]),
    ],
  };
}

/**
 * Sets damaged databases aside. Throws unless `--damaged` deletes them as a whole: an unreadable database may contain
 * data of the purged session.
 */
function putAsideDamaged(directory: string, { damaged = false, dryRun = false, list = false }: PurgeOptions): void {
  const files = list ? [] : damagedInUse(directory);
  if (files.length === 0) return;
  if (!damaged || dryRun) {
    throw journalError("damaged", {
      expected: "databases of openclaw-integrity that can be read",
      found: `${files.join(" and ")}, damaged`,
      todo: "It may contain text of any conversation: --damaged deletes it as a whole. Nothing was deleted.",
    });
  }
  for (const file of files) setAside(file);
}
