/** `openclaw-integrity` without a command: what is found on this machine, on one screen, and what to do next. */
import { existsSync } from "node:fs";
import { ownCommand } from "../base/commands/own-command.ts";
import { columns, type Line, say, toned } from "../base/terminal.ts";
import { briefPatchLines, briefSessionLines, type Checkup, makeCheckup, nextStep } from "../doctor/index.ts";
import { needsRepair, saved, ScanMemory } from "../health/index.ts";
import { stateDirectory } from "../store/index.ts";
import { isSetupWhole } from "./setup/undo.ts";
import { wasCutOff } from "./setup-claim.ts";
import { leftLines } from "./rehearsal-place.ts";
import { packageVersion } from "./version.ts";
import { checkupData } from "./sessions/doctor.ts";
import { type CommonOptions, EXIT, runAsync, type Outcome } from "./run.ts";
import { withCatalog } from "./sessions/catalog.ts";
import { gatewaysWith, openClawsAtHand } from "./sessions/openclaw-at-hand.ts";
import { progress } from "./sessions/scan.ts";
import { workNeeds } from "./sessions/work-needs.ts";

/** Columns where the terminal's width is unknown. */
const COLUMNS = 80;

/** Looks and says what was found; changes no session. Exit code 0 where nothing has to be done, else 3. */
export async function frontDoor(options: CommonOptions): Promise<void> {
  await runAsync(options, async () => {
    const width = columns() ?? COLUMNS;
    const { json = false, quiet = false } = options;
    const tell = (lines: readonly Line[]): void => (json || quiet ? undefined : say(lines));
    tell([`openclaw-integrity ${packageVersion()}`]);
    const { openclaws, whyNone } = openClawsAtHand(options);
    const gateways = gatewaysWith(openclaws);
    const found = { openclaws, ...(whyNone !== undefined && { whyNone }), ...(gateways && { gateways }) };
    // The first words come before the sessions are read, which can take a while.
    tell(openclaws.length === 0 ? toned([`No OpenClaw: ${whyNone ?? "none was found"}`], "bad") : []);
    tell(briefPatchLines(openclaws.length === 0 ? { ...(gateways && { gateways }) } : found, width));
    // A folder that was named, and is not there, is refused by its name.
    const isNamed = (process.env["OPENCLAW_STATE_DIR"] ?? "") !== "";
    return isNamed || existsSync(stateDirectory()) ? readSessions(found, width, options) : withoutSessions(found);
  });
}

type Found = Pick<Checkup, "openclaws" | "whyNone" | "gateways">;

function readSessions(found: Found, width: number, output: CommonOptions): Promise<Outcome> {
  return withCatalog(async (catalog, directory) => {
    const memory = new ScanMemory(directory);
    const options = { stateDirectory: directory, memory, onProgress: progress(output) };
    const made = await makeCheckup(catalog, { ...options, ...(found.openclaws && { openclaws: found.openclaws }) });
    const checkup = { ...made, ...found, work: await workNeeds(directory) };
    const { gateways = [] } = found;
    const isWhole = isSetupWhole() && !wasCutOff();
    const isOff = gateways.some(({ guard }) => guard === "off");
    const isDone = nextStep(checkup).command === undefined && !checkup.sessions.some(needsRepair) && !isOff;
    const isAll = checkup.problems.length + checkup.work.length === 0 && isWhole;
    return {
      data: checkupData(checkup),
      lines: [
        ...briefSessionLines(checkup, width),
        ...(isWhole ? [] : setupLines()),
        ...leftLines(),
        "",
        ...moreLines(),
      ],
      warnings: saved(memory),
      exit: isDone && isAll ? EXIT.ok : EXIT.no,
    };
  });
}

function withoutSessions({ openclaws = [], gateways }: Found): Outcome {
  const step =
    openclaws.length > 0
      ? ["There are no sessions yet. To patch OpenClaw:", `  ${ownCommand("setup")}`]
      : ["Install OpenClaw, or name it:", `  ${ownCommand("setup", { path: "FOLDER" })}`];
  return { data: { openclaws, ...(gateways && { gateways }) }, lines: [...step, "", ...moreLines()], exit: EXIT.no };
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
