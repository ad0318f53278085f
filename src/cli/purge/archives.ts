import { agedArchives, isAbout, removeArchives, findSubject, type OwnFile } from "../../privacy/index.ts";
import { confirmed, type PurgeRun } from "./options.ts";
import { unknownName } from "./sessions.ts";
import { archiveLine, formatSize } from "./text.ts";
import type { Outcome } from "../run.ts";

/**
 * `openclaw-integrity purge [session] --archives --older-than 30d`. With a session named, its youngest archive is
 * deleted too.
 */
export async function purgeArchives(session: string | undefined, run: PurgeRun): Promise<Outcome> {
  const {
    options: { olderThan = 0, dryRun = false },
    place: { stateDirectory },
    catalog,
    names,
  } = run;
  const before = Date.now() - olderThan;
  const { old, kept } =
    session === undefined
      ? agedArchives(stateDirectory, catalog, names.transcripts, before)
      : { old: ofSession(session, run).filter(({ modifiedAt }) => modifiedAt < before), kept: [] };
  const data = { archives: old.map(toData), kept: kept.map(toData), bytes: sum(old) };
  const keeps =
    kept.length === 0
      ? []
      : [
          `${kept.length} as old ${kept.length === 1 ? "is" : "are"} kept: the youngest archive of a session ` +
            "that OpenClaw can no longer read; purge <session> --archives deletes it",
        ];
  if (old.length === 0) return { data: { action: "nothing", ...data }, lines: ["no archive is that old", ...keeps] };
  const lines = (verb: string): string[] => [
    `${old.length} ${old.length === 1 ? "archive" : "archives"}, ${formatSize(sum(old))}, ${verb}:`,
    ...old.map((archive) => archiveLine(archive, stateDirectory)),
    ...keeps,
  ];
  if (dryRun)
    return { data: { action: "would-purge", ...data }, lines: [...lines("would be deleted"), "nothing was deleted"] };
  await confirmed(run, lines("to be deleted"));
  removeArchives(old);
  return { data: { action: "purged", ...data }, lines: lines("deleted") };
}

function ofSession(name: string, { names, options }: PurgeRun): OwnFile[] {
  const subject = findSubject(name, names);
  if (subject === undefined) {
    if (options.ifExists !== true) throw unknownName(name);
    return [];
  }
  return names.files.filter((file) => file.kind !== "unfinished_file" && isAbout(file, subject));
}

function toData({ path, sessionId, bytes, modifiedAt }: OwnFile): object {
  return { path, sessionId, bytes, modifiedAt };
}

function sum(archives: readonly OwnFile[]): number {
  return archives.reduce((total, { bytes }) => total + bytes, 0);
}
