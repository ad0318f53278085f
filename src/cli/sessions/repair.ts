import { sentenceLines } from "../../base/terminal.ts";
import {
  countFaults,
  describeFaults,
  isSound,
  needsRepair,
  describeRepairs,
  repairStored,
  scan,
  describeState,
  type RepairedSession,
} from "../../health/index.ts";
import { findInstallation } from "../../patching/index.ts";
import { findSummaryOrFile, StoreError, type Catalog, type SessionSummary } from "../../store/index.ts";
import type { RepairStrategy } from "../../transcript/repair.ts";
import { toData, withCatalog } from "./catalog.ts";
import { EXIT, runAsync, UsageError, type CommonOptions, type Outcome } from "../run.ts";
import { endProcess, quietly } from "../with-openclaw.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

interface RepairOptions extends CommonOptions {
  readonly agent?: string;
  readonly all?: boolean;
  readonly strategy: RepairStrategy;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

/** The indent of a command on a line of its own. */
const COMMAND = "    ";

/** Result for one session; `refused` has the reason why nothing was changed. */
type Repaired = { readonly session: SessionSummary } & (
  | RepairedSession
  | { readonly action: "refused"; readonly code: string; readonly message: string }
);

/** `openclaw-integrity sessions repair` */
export async function repairCommand(which: string | undefined, options: RepairOptions): Promise<void> {
  let isLoaded = false;
  await runAsync(options, () =>
    withCatalog(async (catalog, directory) => {
      const { sessions, problems } = await chosen(catalog, which, options);
      isLoaded = sessions.some(({ kind }) => kind === "rows");
      const repaired: Repaired[] = [];
      for (const session of sessions)
        repaired.push(await quietly(() => repairOne(catalog, session, directory, options)));
      const outcome = toOutcome(repaired, sessions.length === 1, problems.length === 0);
      if (problems.length === 0) return outcome;
      return { ...outcome, warnings: problems, exit: outcome.exit === EXIT.ok ? EXIT.no : (outcome.exit ?? EXIT.no) };
    }, options.agent),
  );
  if (isLoaded) endProcess();
}

/** Returns the named session, or all that have faults. */
async function chosen(
  catalog: Catalog,
  which: string | undefined,
  { all = false, agent }: RepairOptions,
): Promise<{ readonly sessions: readonly SessionSummary[]; readonly problems: readonly string[] }> {
  if (which !== undefined && !all) return { sessions: [findSummaryOrFile(catalog, which, agent)], problems: [] };
  if (which === undefined && all) {
    const { sessions, problems } = await scan(catalog, agent === undefined ? {} : { agentId: agent });
    // Sessions that OpenClaw has put away are left alone on purpose.
    const unread = sessions.filter(({ session, unread: why }) => why !== undefined && session.isPutAway !== true);
    return {
      sessions: sessions.filter(needsRepair).map(({ session }) => session),
      problems: [
        ...problems,
        ...unread.map(({ session, unread: why }) => `session ${session.sessionId} was not read: ${why}`),
      ],
    };
  }
  throw new UsageError(
    `expected either one session or --all; found ${all ? "both" : "neither"}. ` +
      `\`${ownCommand("sessions scan")}\` lists the sessions with faults. Nothing was changed.`,
  );
}

async function repairOne(
  catalog: Catalog,
  session: SessionSummary,
  directory: string,
  options: RepairOptions,
): Promise<Repaired> {
  const { strategy, dryRun = false, force } = options;
  try {
    return {
      session,
      ...(await repairStored(catalog, session, {
        stateDirectory: directory,
        strategy,
        dryRun,
        force,
        root: () => findInstallation(options).root,
      })),
    };
  } catch (error) {
    // A refused session does not stop the others.
    if (!(error instanceof StoreError)) throw error;
    return { session, action: "refused", code: error.code, message: error.message };
  }
}

function toOutcome(repaired: readonly Repaired[], isOne: boolean, isAll: boolean): Outcome {
  const only = repaired[0];
  if (isOne && only?.action === "refused") throw new StoreError(only.code as StoreError["code"], only.message);
  const refused = repaired.filter(({ action }) => action === "refused").length;
  const partly = repaired.filter(leavesFaults).length;
  return {
    data: {
      sessions: repaired.map(({ session, ...rest }) => ({ ...toData(session), ...rest })),
      total: repaired.length,
      refused,
      partly,
    },
    lines:
      repaired.length === 0
        ? [`no session ${isAll ? "" : "that could be read "}has faults`]
        : [...repaired.flatMap(repairedLines).flatMap(wrappedLine), ...tallyLines(repaired)],
    exit: partly > 0 || (refused > 0 && refused < repaired.length) ? EXIT.no : refused > 0 ? EXIT.refused : EXIT.ok,
  };
}

/** Wraps a line for a terminal, unless it is a command, which is indented further than any sentence. */
function wrappedLine(line: string): string[] {
  return line.startsWith(COMMAND) ? [line] : sentenceLines(line, line.startsWith("  ") ? "    " : "  ");
}

/** Whether a session was repaired, and still has faults. */
function leavesFaults(repaired: Repaired): boolean {
  return repaired.action === "repaired" && repaired.after !== undefined && !isSound(repaired.after);
}

/** Counts the sessions of a repair of several by what was done. */
function tallyLines(repaired: readonly Repaired[]): string[] {
  if (repaired.length < 2) return [];
  const counts = new Map<string, number>();
  for (const one of repaired) {
    const what = leavesFaults(one) ? "repaired in part" : SUMS[one.action];
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [`${repaired.length} sessions: ${[...counts].map(([what, count]) => `${count} ${what}`).join(", ")}`];
}

const SUMS: Readonly<Record<Repaired["action"], string>> = {
  repaired: "repaired",
  "would-repair": "would be repaired",
  sound: "valid",
  earlier: "need no repair",
  left: "cannot be repaired in the store",
  refused: "refused",
};

function repairedLines(repaired: Repaired): string[] {
  const name = `session ${repaired.session.sessionId}`;
  switch (repaired.action) {
    case "refused":
      return [`${name}: refused (${repaired.code}): ${repaired.message}`];
    case "sound":
      return [`${name} is valid, nothing to do`];
    case "earlier":
      return [
        `${name} needs no repair, nothing was changed: the conversation ${repaired.session.sessionKey ?? ""} ` +
          "has left it, and no turn is sent from it",
        `  it has: ${describeFaults(repaired.before).join("; ")}`,
        "  if it is restored, it becomes the current session again, and can be repaired then",
      ];
    case "left":
      return [
        `${name}: ${describeFaults(repaired.before).join("; ")}: a repair of the store cannot fix this; the ` +
          "patch fixes it in each request",
      ];
    case "would-repair":
      return [
        `${name} would be repaired; nothing was changed`,
        `  ${describeFaults(repaired.before).join("; ")}`,
        ...describeChanges(repaired, "would do"),
      ];
    case "repaired":
      return [
        leavesFaults(repaired)
          ? `${name} is repaired in part: ${countFaults(repaired.before)} faults ` +
            `before, ${countFaults(repaired.after!)} now (${describeFaults(repaired.after!).join("; ")})`
          : `${name} is repaired: ${describeState(repaired.after)}`,
        `  it had: ${describeFaults(repaired.before).join("; ")}`,
        ...describeChanges(repaired, "done"),
        ...(repaired.recordArchive === undefined
          ? []
          : [`  OpenClaw's record of the conversation as it was is kept in ${repaired.recordArchive}`]),
        ...(repaired.archive === undefined
          ? []
          : [
              "  the original is kept; to undo the repair, with which the faults come back:",
              `${COMMAND}${ownCommand("sessions restore", { argument: repaired.archive })}`,
            ]),
      ];
  }
}

function describeChanges({ before, repairs }: RepairedSession, word: string): string[] {
  const changes = describeRepairs(before, repairs);
  return changes.length === 0 ? [] : [`  ${word}: ${changes.join("; ")}`];
}
