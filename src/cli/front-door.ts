/** `openclaw-integrity` without a command: what is found on this machine, on one screen, and what to do next. */
import { existsSync } from "node:fs";
import { ownCommand } from "../base/commands/own-command.ts";
import { columns, say, toned } from "../base/terminal.ts";
import { briefPatchLines, briefSessionLines, type Checkup, makeCheckup, nextStep } from "../doctor/index.ts";
import { needsRepair, saved, ScanMemory } from "../health/index.ts";
import { stateDirectory } from "../store/index.ts";
import { isSetupWhole } from "./setup/undo.ts";
import { packageVersion } from "./version.ts";
import { EXIT, runAsync, type Outcome } from "./run.ts";
import { withCatalog } from "./sessions/catalog.ts";
import { gatewaysWith, openClawsAtHand } from "./sessions/openclaw-at-hand.ts";
import { progress } from "./sessions/scan.ts";
import { workNeeds } from "./sessions/work-needs.ts";

/** Columns where the terminal's width is unknown. */
const COLUMNS = 80;

/** Looks and says what was found; changes no session. Exit code 0 where nothing has to be done, else 3. */
export async function frontDoor(): Promise<void> {
  await runAsync({}, async () => {
    const width = columns() ?? COLUMNS;
    say([`openclaw-integrity ${packageVersion()}`]);
    const { openclaws, whyNone } = openClawsAtHand({});
    const gateways = gatewaysWith(openclaws);
    const found = { openclaws, ...(whyNone !== undefined && { whyNone }), ...(gateways && { gateways }) };
    // The first words come before the sessions are read, which can take a while.
    say(openclaws.length === 0 ? toned([`No OpenClaw: ${whyNone ?? "none was found"}`], "bad") : []);
    say(briefPatchLines(openclaws.length === 0 ? { ...(gateways && { gateways }) } : found, width));
    // A folder that was named, and is not there, is refused by its name.
    const isNamed = (process.env["OPENCLAW_STATE_DIR"] ?? "") !== "";
    return isNamed || existsSync(stateDirectory()) ? readSessions(found, width) : withoutSessions(openclaws.length > 0);
  });
}

type Found = Pick<Checkup, "openclaws" | "whyNone" | "gateways">;

function readSessions(found: Found, width: number): Promise<Outcome> {
  return withCatalog(async (catalog, directory) => {
    const memory = new ScanMemory(directory);
    const options = { stateDirectory: directory, memory, onProgress: progress({}) };
    const made = await makeCheckup(catalog, { ...options, ...(found.openclaws && { openclaws: found.openclaws }) });
    const checkup = { ...made, ...found, work: await workNeeds(directory) };
    const { gateways = [] } = found;
    const isWhole = isSetupWhole();
    const isOff = gateways.some(({ guard }) => guard === "off");
    const isDone = nextStep(checkup).command === undefined && !checkup.sessions.some(needsRepair) && !isOff;
    const isAll = checkup.problems.length + checkup.work.length === 0 && isWhole;
    return {
      data: {},
      lines: [...briefSessionLines(checkup, width), ...(isWhole ? [] : setupLines()), "", ...moreLines()],
      warnings: saved(memory),
      exit: isDone && isAll ? EXIT.ok : EXIT.no,
    };
  });
}

function withoutSessions(isInstalled: boolean): Outcome {
  const step = isInstalled
    ? ["There are no sessions yet. To patch OpenClaw:", `  ${ownCommand("setup")}`]
    : ["Install OpenClaw, or name it:", `  ${ownCommand("setup", { options: ["--path", "FOLDER"] })}`];
  return { data: {}, lines: [...step, "", ...moreLines()], exit: EXIT.no };
}

/** What to do after a kill of setup, or when somebody has removed a part. */
function setupLines(): readonly string[] {
  return [
    "Not all that setup has begun is there. To complete it, or to take it back:",
    `  ${ownCommand("setup")}`,
    `  ${ownCommand("setup", { options: ["--undo"] })}`,
  ];
}

function moreLines(): readonly string[] {
  return [`All sessions:  ${ownCommand("sessions doctor")}`, `All commands:  ${ownCommand("help")}`];
}
