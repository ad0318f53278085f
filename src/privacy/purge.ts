import type { Catalog } from "../store/index.ts";
import { assertUnlocked } from "../store/openclaw/openclaw-lock.ts";
import { storeError } from "../store/errors.ts";
import type { Holder, Holding, Subject } from "./holders/holder.ts";
import { journalRows } from "./holders/journal-rows.ts";
import { KnownSessions } from "./holders/known-sessions.ts";
import { gatherNames, storeNow, type Names } from "./names.ts";
import { archiveHolder, incidentHolder } from "./holders/file-holders.ts";
import { type WorkPlace, recordedNames, recordedWork } from "./holders/recorded-work.ts";
import { scanResults } from "./holders/scan-results.ts";
import { timelineRows } from "./holders/timeline-rows.ts";
import { workspaceFiles } from "./holders/workspace-files.ts";

/** Where all data of this project is stored. */
export interface PurgePlace {
  readonly stateDirectory: string;
  /** Where work is recorded, by the plugin's configuration and by default. */
  readonly work: readonly WorkPlace[];
  /** Rewrites databases after every deletion; otherwise only where deleted content would leave traces. */
  readonly rewrite: boolean;
}

/** The steps of a purge in their order; a kill can come after any of them. */
export const PURGE_STEPS = [
  "begun",
  "files",
  "incident_files",
  "recorded_work",
  "workspace_files",
  "timeline",
  "journal",
  "scan",
] as const;

/** The result of a purge. */
export interface Purged {
  /** The data that was found. */
  readonly found: readonly Holding[];
  /** What is left and why, in sentences for users. */
  readonly left: readonly string[];
}

/** Gathers all names of sessions and conversations. */
export async function namesAt({ stateDirectory, work }: PurgePlace, catalog: Catalog): Promise<Names> {
  return gatherNames(
    stateDirectory,
    storeNow(stateDirectory, catalog),
    new KnownSessions(stateDirectory),
    (await Promise.all(work.map(recordedNames))).flat(),
  );
}

/** Lists the data about a subject. Changes nothing. Rejects with CodedErrors when something cannot be read. */
export async function listHoldings(place: PurgePlace, subject: Subject, names: Names): Promise<Holding[]> {
  return found(
    [...holders(place, () => names.transcripts), new KnownSessions(place.stateDirectory).holder(place)],
    subject,
  );
}

/**
 * Throws `session-busy` when a run is active in one of the sessions: by OpenClaw's locks (to 2026.7), or by its record,
 * which is wrong after a crash and can be overridden with `force`.
 */
export function assertIdle(
  subject: Subject,
  { sessions, rows }: Names,
  { force = false }: { readonly force?: boolean } = {},
): void {
  for (const { kind, place, sessionId } of sessions)
    if (kind === "file" && subject.sessionIds.has(sessionId)) assertUnlocked(place);
  const running = [
    ...subject.sessionKeys,
    ...sessions.flatMap((one) =>
      one.isCurrent && subject.sessionIds.has(one.sessionId) ? (one.sessionKey ?? []) : [],
    ),
  ].find((key) => rows.running.has(key));
  if (running === undefined || force) return;
  throw storeError("session-busy", {
    expected: `nobody at work on ${running}`,
    found: "a run in progress, by OpenClaw's own record",
    todo:
      "Wait until it has answered, or stop it. After a crash the record may be wrong: start OpenClaw's gateway once, " +
      "or run this with --force. Nothing was deleted.",
  });
}

/**
 * Deletes all data of this project about a subject, and then checks that it is gone. The subject is recorded first and
 * forgotten last, so a second call finishes a purge that a kill has interrupted. Two purges at once do no harm. Rejects
 * with a CodedError when something cannot be deleted now, before the first deletion where that can be known.
 */
export async function purge(
  place: PurgePlace,
  subject: Subject,
  names: Names,
  { reached = () => undefined }: { readonly reached?: (step: Step) => void } = {},
): Promise<Purged> {
  const all = holders(place, () => names.transcripts);
  const known = new KnownSessions(place.stateDirectory);
  const list = known.holder(place);
  const before = await found([...all, list], subject);
  for (const holder of all) await holder.check?.(subject);
  known.begin(subject);
  reached("begun");
  const left: string[] = [];
  for (const holder of all) {
    left.push(...(await holder.erase(subject)));
    reached(holder.step);
  }
  const again = (await found(all, subject)).map(
    ({ kind, place: where }) => `${kind.replaceAll("_", " ")} in ${where}: written again meanwhile, run it again`,
  );
  // The list of sessions is kept while data is left, so that it can be found again.
  if (left.length + again.length === 0) left.push(...(await list.erase(subject)));
  return { found: before, left: [...left, ...again] };
}

type Step = (typeof PURGE_STEPS)[number];

/** All holders in the order of their erasure: data by which other data is found comes last. */
function holders(
  { stateDirectory, work, rewrite }: PurgePlace,
  transcripts: () => readonly string[],
): (Holder & { readonly step: Step })[] {
  return [
    { step: "files", ...archiveHolder(stateDirectory, transcripts) },
    { step: "incident_files", ...incidentHolder(stateDirectory) },
    ...work.map((place) => ({ step: "recorded_work" as const, ...recordedWork(place) })),
    { step: "workspace_files", ...workspaceFiles(stateDirectory) },
    { step: "timeline", ...timelineRows(stateDirectory, { rewrite }) },
    { step: "journal", ...journalRows(stateDirectory, { rewrite }) },
    { step: "scan", ...scanResults(stateDirectory) },
  ];
}

async function found(all: readonly Holder[], subject: Subject): Promise<Holding[]> {
  const holdings: Holding[] = [];
  for (const holder of all) holdings.push(...(await holder.find(subject)));
  return holdings;
}
