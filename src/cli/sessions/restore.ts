import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { findArchives } from "../../doctor/archives.ts";
import { findInstallation } from "../../patching/index.ts";
import {
  restoreFile,
  restoreRows,
  stateDirectory,
  findTranscript,
  type RestoredFile,
  type RestoredRows,
} from "../../store/index.ts";
import { toArchiveId } from "../../store/archives/archive-id.ts";
import { storeError } from "../../store/errors.ts";
import { withCatalog } from "./catalog.ts";
import { endProcess, quietly } from "../with-openclaw.ts";
import { runAsync, type CommonOptions, type Outcome } from "../run.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

interface RestoreOptions extends CommonOptions {
  readonly sessionKey?: string;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

/** `openclaw-integrity sessions restore <archive>` */
export async function restoreCommand(archive: string, options: RestoreOptions): Promise<void> {
  const { sessionKey, dryRun, force } = options;
  let isRows = false;
  await runAsync(options, async () => {
    const path = await findArchivePath(archive);
    isRows = findTranscript(path) === undefined && path.endsWith(".json");
    if (!isRows) return fileOutcome(restoreFile({ archive: path, sessionKey, dryRun }));
    return rowsOutcome(
      await quietly(() =>
        restoreRows({ archive: path, root: findInstallation(options).root, sessionKey, dryRun, force }),
      ),
    );
  });
  if (isRows) endProcess();
}

/**
 * Returns the path of the archive with this id (as a notice in a chat names it), or the path itself. Throws
 * `archive-missing` when no archive or several have the id, and as {@link withCatalog}.
 */
async function findArchivePath(archive: string): Promise<string> {
  const path = resolve(archive);
  if (existsSync(path)) return path;
  const found = await withCatalog((catalog, directory) =>
    findArchives(directory, catalog.list().sessions).filter((one) => toArchiveId(one.path) === archive),
  );
  if (found.length === 1) return found[0]!.path;
  if (found.length === 0)
    throw storeError("archive-missing", {
      expected: `an archive ${archive}: its file, or its id`,
      found: `no file ${path}, and no archive with this id in ${stateDirectory()}`,
      todo: `\`${ownCommand("sessions doctor")}\` lists the archives that can be restored. Nothing was changed.`,
    });
  throw storeError("archive-missing", {
    expected: `one archive with the id ${archive}`,
    found: `${found.length}`,
    todo: `Name the file: ${found.map((one) => one.path).join(", ")}.`,
  });
}

function fileOutcome(restored: RestoredFile): Outcome {
  const { transcript, archive, sessionKeys, isIndexed, action, kept } = restored;
  const sentences = {
    restored: "is restored byte for byte",
    already: "is identical to the archive, nothing to do",
    "would-restore": "would be restored byte for byte; nothing was changed",
  };
  return {
    data: { kind: "file", ...restored },
    lines: [
      `${transcript} ${sentences[action]}`,
      `  from ${basename(archive)}`,
      ...(kept === undefined ? [] : [`  its previous content is kept as ${basename(kept)}`]),
      ...sessionKeys.map((key) => `  conversation ${key} continues in it`),
    ],
    warnings: sessionKeys.length > 0 ? [] : [unused(transcript, isIndexed)],
  };
}

function unused(transcript: string, isIndexed: boolean): string {
  if (!isIndexed)
    return `there is no sessions.json in ${dirname(transcript)}; whether OpenClaw uses this transcript is unknown`;
  return (
    `no conversation of sessions.json uses ${basename(transcript)} any more (OpenClaw's own resets start a new ` +
    "one); to continue a conversation in it: --session-key <key>"
  );
}

function rowsOutcome(restored: RestoredRows): Outcome {
  const { sessionKey, messages, archive, action, kept } = restored;
  const sentences = {
    restored: `has its ${messages} archived messages again`,
    already: `has the ${messages} archived messages, nothing to do`,
    "would-restore": `would have its ${messages} archived messages again; nothing was changed`,
  };
  return {
    data: { kind: "rows", ...restored },
    lines: [
      `conversation ${sessionKey} ${sentences[action]}`,
      `  from ${basename(archive)}`,
      ...(kept === undefined ? [] : [`  its previous content is kept as ${kept}`]),
    ],
  };
}
