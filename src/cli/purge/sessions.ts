import {
  assertIdle,
  setAsideDatabases,
  damagedHoldings,
  listHoldings,
  leftBehind,
  filesMentioning,
  openclawCopies,
  purge,
  removeDamaged,
  findSubject,
  subjectOfDeletion,
  type Names,
  type NamedSubject,
  type OpenClawCopy,
} from "../../privacy/index.ts";
import { describeError, storeError } from "../../store/errors.ts";
import { ownCommand } from "../../base/commands/own-command.ts";
import { CodedError } from "../../base/coded-error.ts";
import { visible } from "../../doctor/printable.ts";
import { confirmed, type PurgeRun } from "./options.ts";
import { copyLines, holdingLines, subjectWords, UNREACHABLE } from "./text.ts";
import { EXIT, type Outcome } from "../run.ts";

/** `openclaw-integrity purge <session>` */
export async function purgeSession(name: string, run: PurgeRun): Promise<Outcome> {
  const {
    options: { force = false, ifExists = false },
    names,
  } = run;
  assertReadable(names, force);
  const subject = findSubject(name, names);
  if (subject === undefined) {
    if (!ifExists) throw unknownName(name);
    return {
      data: { action: "nothing", ...identified(NOBODY), found: [], left: [], openclaw: [] },
      lines: [],
      warnings: [
        `nothing is known of ${visible(name)}: neither OpenClaw nor openclaw-integrity has a session or conversation ` +
          "of this name",
      ],
    };
  }
  assertIdle(subject, names, { force });
  return purged(subject, run);
}

/**
 * The refusal of a name of which nothing is known. It may be a typing error, and a person who asked for a deletion has
 * to know of that. A session that was purged before is refused too: a list of purged names would keep them.
 */
export function unknownName(name: string): Error {
  return storeError("session-missing", {
    expected: `a session or conversation ${visible(name)}`,
    found: "nothing of this name, neither OpenClaw's nor openclaw-integrity's",
    todo:
      `Check the name: \`${ownCommand("sessions list")}\` lists OpenClaw's sessions, ` +
      `\`${ownCommand("purge", { options: ["--list"] })}\` what is left of others. If it was purged before, nothing ` +
      "of it is left, and --if-exists makes this no error. Nothing was deleted.",
  });
}

/** `openclaw-integrity purge --deleted` */
export async function purgeDeleted(run: PurgeRun): Promise<Outcome> {
  const { names } = run;
  assertReadable(names, false);
  const subjects = leftBehind(names)
    .filter(({ why }) => why === "deleted")
    .map(({ sessionId, sessionKey }) =>
      sessionId === undefined
        ? { sessionIds: new Set<string>(), sessionKeys: new Set([sessionKey!]) }
        : subjectOfDeletion({ sessionId, sessionKey }, names),
    );
  return purged(
    {
      sessionIds: new Set(subjects.flatMap(({ sessionIds }) => [...sessionIds])),
      sessionKeys: new Set(subjects.flatMap(({ sessionKeys }) => [...sessionKeys])),
      keptKeys: [],
    },
    run,
  );
}

const NOBODY: NamedSubject = { sessionIds: new Set(), sessionKeys: new Set(), keptKeys: [] };

function identified({ sessionIds, sessionKeys, keptKeys }: NamedSubject): object {
  return { sessions: [...sessionIds], conversations: [...sessionKeys], goesOn: keptKeys };
}

async function purged(subject: NamedSubject, run: PurgeRun): Promise<Outcome> {
  const {
    options: { dryRun = false, damaged = false },
    place,
    names,
  } = run;
  const { stateDirectory } = place;
  const setAside = setAsideDatabases(stateDirectory);
  const suspect = filesMentioning(setAside, subject);
  const found = [...(await listHoldings(place, subject, names)), ...damagedHoldings(damaged ? setAside : [])];
  const { copies, problems } = openclawCopies(stateDirectory, subject, names);
  const warnings = [
    ...problems,
    ...subject.keptKeys.map(
      (key) =>
        `recorded work and names of places belong to ${visible(key)}, which continues in another session: ` +
        "purge it by its key",
    ),
    ...(damaged || suspect.length === 0
      ? []
      : [
          `${suspect.map(({ path }) => path).join(" and ")} was damaged and set aside; it names this session ` +
            "and may contain text of any conversation: --damaged deletes it as a whole",
        ]),
  ];
  const data = { ...identified(subject), found, openclaw: copies, unreachable: UNREACHABLE };
  const who = subjectWords(subject.sessionIds, subject.sessionKeys);
  if (found.length === 0)
    return {
      data: { action: "nothing", ...data, left: [] },
      lines: [
        who === ""
          ? "no data is left of sessions that OpenClaw has deleted"
          : `openclaw-integrity has no data of ${who}`,
        ...openclawCopyLines(copies, stateDirectory),
      ],
      warnings,
    };
  const plan = [
    `${who}: openclaw-integrity ${dryRun ? "would delete" : "keeps"}, in ${stateDirectory}`,
    ...holdingLines(found, stateDirectory),
    ...openclawCopyLines(copies, stateDirectory),
  ];
  if (dryRun)
    return { data: { action: "would-purge", ...data, left: [] }, lines: [...plan, "nothing was deleted"], warnings };
  await confirmed(run, plan);
  const left = await leftOver(run, subject);
  if (damaged) removeDamaged(setAside);
  return {
    data: { action: left.length === 0 ? "purged" : "incomplete", ...data, left },
    lines: [
      `${who}: deleted, in ${stateDirectory}`,
      ...holdingLines(found, stateDirectory),
      ...openclawCopyLines(copies, stateDirectory),
      "not deleted by this command:",
      ...UNREACHABLE.map((line) => `  ${line}`),
    ],
    warnings: [...warnings, ...left],
    exit: left.length === 0 ? EXIT.ok : EXIT.refused,
  };
}

/**
 * Runs the purge and returns what is left. A failure after the first deletion is reported instead of thrown, because a
 * refusal means that nothing was changed.
 */
async function leftOver({ place, names }: PurgeRun, subject: NamedSubject): Promise<readonly string[]> {
  let hasBegun = false;
  try {
    return (await purge(place, subject, names, { reached: () => (hasBegun = true) })).left;
  } catch (error) {
    if (!hasBegun || !(error instanceof CodedError)) throw error;
    return [`${describeError(error)} Part of the data was deleted; run the command again.`];
  }
}

function openclawCopyLines(copies: readonly OpenClawCopy[], stateDirectory: string): string[] {
  if (copies.length === 0) return [];
  const keys = [
    ...new Set(
      copies.flatMap(({ what, sessionKey }) => (what === "session" && sessionKey !== undefined ? [sessionKey] : [])),
    ),
  ];
  return [
    "kept by OpenClaw itself, and left alone by this command:",
    ...copyLines(copies, stateDirectory),
    ...(keys.length === 0
      ? []
      : ["  to delete a session in OpenClaw: `openclaw sessions delete <key>` (2026.9), or its Control UI"]),
  ];
}

function assertReadable({ problems }: Names, force: boolean): void {
  if (problems.length === 0 || force) return;
  throw storeError("store-unreadable", {
    expected: "OpenClaw's sessions to be readable, to see which sessions are active and what is still in use",
    found: problems.join("; "),
    todo: "Make them readable, or run the command with --force while no gateway runs. Nothing was deleted.",
  });
}
