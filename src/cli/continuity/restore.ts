import { resolve } from "node:path";
import { ownCommand, setStoreForPrintedCommands } from "../../base/commands/own-command.ts";
import { assertState, stateDirectory } from "../../store/index.ts";
import { type Restoration, type RestoredProject } from "../../continuity/index.ts";
import { printable } from "../../doctor/printable.ts";
import { counted } from "../../doctor/words.ts";
import { commandAuthor, openContinuity, selectPlace, type ReadOptions } from "./base/store.ts";
import { chooseWidth, timeText, wrapped } from "./base/text.ts";
import { storeWords } from "../../continuity-tools/store-words.ts";
import { EXIT, type Outcome, runAsync } from "../run.ts";

interface RestoreCommandOptions extends ReadOptions {
  readonly exact?: boolean;
  readonly acceptLoss?: boolean;
}

/** `openclaw-integrity continuity restore`: restores a backup into a store, which is created if there is none. */
export async function restoreCommand(file: string, options: RestoreCommandOptions): Promise<void> {
  const { project, exact, acceptLoss } = options;
  await runAsync(options, async () => {
    setStoreForPrintedCommands(storeWords({ ...options, project: undefined }));
    if (options.file === undefined && options.postgres === undefined) assertState(stateDirectory());
    const { continuity, place } = await openContinuity(selectPlace(options), {
      mustExist: false,
      author: commandAuthor({}),
    });
    try {
      const projects = project === undefined ? undefined : [project];
      return toOutcome(place, exact, await continuity.restore({ file: resolve(file), projects, exact, acceptLoss }));
    } finally {
      await continuity.close();
    }
  });
}

function toOutcome(place: string, exact: boolean | undefined, { created_at, sha256, projects }: Restoration): Outcome {
  const damages = projects.reduce((sum, one) => sum + one.damages.length, 0);
  const restored = projects.filter(({ outcome }) => outcome === "restored").length;
  return {
    data: { place, created_at, sha256, projects, damages },
    lines: [
      `${counted(restored, "project")} restored into ${place}, from a backup of ${timeText(created_at)}`,
      ...projects.flatMap((one) => restorationLines(one, exact)),
    ],
    exit: damages === 0 ? EXIT.ok : EXIT.refused,
  };
}

function restorationLines(
  { project_id, outcome, event_seq, open_steps, lost, damages }: RestoredProject,
  exact = false,
): string[] {
  const state = damages.length === 0 ? "verified, intact" : `DAMAGED in ${counted(damages.length, "place")}`;
  const isUnknown = outcome === "restored" && !exact;
  const notes = [
    ...(lost === null
      ? []
      : [
          `events up to ${lost.event_seq} are lost: any step may have been done since, ` +
            "also one that is not in the backup",
        ]),
    ...(outcome === "restored" && open_steps.length > 0
      ? [`may have been done since: ${open_steps.map((step) => printable(step, 100)).join(", ")}`]
      : []),
    ...(isUnknown
      ? ["steps that must not happen twice may have happened since, and do not begin until you confirm what did:"]
      : []),
  ];
  const confirming = { options: ["--project", project_id, "--reason", "how that is known"] };
  return [
    `${printable(project_id, 200)}: ${outcome === "present" ? "was there" : "restored"}, ` +
      `${event_seq === 0 ? "no event" : `up to event ${event_seq}`}, ${state}`,
    ...notes.flatMap(indented),
    // On one line, so that the command can be copied.
    ...(isUnknown ? [`    ${ownCommand("continuity confirm", confirming)}`] : []),
    ...damages.flatMap(({ place, message }) => indented(`${place}: ${message}`)),
  ];
}

function indented(note: string): string[] {
  return wrapped(note, chooseWidth() - 2).map((line) => `  ${line}`);
}
