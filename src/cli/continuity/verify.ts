import type { AnchorEntry, Project, Verification, VerifyOptions } from "../../continuity/index.ts";
import { printable } from "../../doctor/printable.ts";
import { counted } from "../../doctor/words.ts";
import { type Opened, projectOf, type ReadOptions, withContinuity } from "./store.ts";
import { wrapped, columnsOf } from "./text.ts";
import { EXIT, type Outcome, runAsync } from "../run.ts";

interface VerifyCommandOptions extends ReadOptions {
  readonly rebuildSnapshots?: boolean;
  readonly expect?: VerifyOptions["expect"];
}

interface Verified extends Verification {
  readonly dropped: number;
}

/**
 * `openclaw-integrity continuity verify`: checks all projects unless one is named. With `--rebuild-snapshots` the
 * snapshots of projects with an intact ledger are deleted. Exits with 1 when something is damaged.
 */
export async function verifyCommand(options: VerifyCommandOptions): Promise<void> {
  await runAsync(options, () =>
    withContinuity(options, async (opened) => {
      const verified: Verified[] = [];
      // One database has all projects: it is checked with the first one.
      for (const [index, project] of (await projectsOf(opened, options)).entries())
        verified.push(await verifiedOf(project, options, index === 0));
      return outcomeOf(opened.place, verified, options.project === undefined ? await missingFrom(opened) : []);
    }),
  );
}

/** Returns the ledgers that the anchor names and the store no longer has. */
async function missingFrom({ store }: Opened): Promise<AnchorEntry[]> {
  // The anchor first: what it names is in the store by then.
  const entries = store.anchor?.entries() ?? [];
  const known = new Set((await store.workflows()).map(({ workflow_id }) => workflow_id));
  return entries.filter(({ workflow_id }) => !known.has(workflow_id));
}

async function projectsOf(opened: Opened, options: VerifyCommandOptions): Promise<Project[]> {
  // A position is that of one project.
  if (options.project !== undefined || options.expect !== undefined) return [await projectOf(opened, options)];
  const found = await Promise.all((await opened.continuity.projects()).map((name) => opened.continuity.find(name)));
  return found.filter((project) => project !== undefined);
}

async function verifiedOf(
  project: Project,
  { rebuildSnapshots = false, expect }: VerifyCommandOptions,
  database: boolean,
): Promise<Verified> {
  const first = await project.verify({ database, expect });
  // Snapshots of a damaged ledger are kept: they may be all that is left.
  const onlySnapshotsAreDamaged = first.damages.every(({ place }) => place === "snapshot");
  if (!rebuildSnapshots || !onlySnapshotsAreDamaged || first.snapshots === 0) return { ...first, dropped: 0 };
  await project.rebuildSnapshots();
  return { ...(await project.verify({ database, expect })), dropped: first.snapshots };
}

function outcomeOf(place: string, projects: readonly Verified[], missing: readonly AnchorEntry[]): Outcome {
  const damages = projects.reduce((sum, one) => sum + one.damages.length, missing.length);
  return {
    data: { place, projects, damages, missing },
    lines: [
      ...(projects.length === 0 ? [`no project in ${place}`] : projects.flatMap(linesOf)),
      ...missing.map(
        ({ workflow_id, event_seq }) =>
          `MISSING: a project with workflow id ${workflow_id}, of which the anchor knows ${counted(event_seq, "event")}`,
      ),
    ],
    exit: damages === 0 ? EXIT.ok : EXIT.refused,
  };
}

function linesOf({ project_id, events, snapshots, completed_steps, head, damages, dropped }: Verified): string[] {
  const extent = `${counted(events, "event")}, ${counted(snapshots, "snapshot")}, ${counted(completed_steps, "completed step")}`;
  return [
    `${printable(project_id, 200)}: ${damages.length === 0 ? `intact (${extent})` : `DAMAGED in ${counted(damages.length, "place")}`}`,
    ...(damages.length === 0 ? [] : [`  ${extent} could be read`]),
    ...(head === null ? [] : [`  ends with ${head.event_seq}:${head.checksum}`]),
    ...(dropped === 0 ? [] : [`  ${counted(dropped, "snapshot")} deleted; the next one is made from the ledger`]),
    ...damages.flatMap(({ place, message }) =>
      wrapped(`${place}: ${message}`, columnsOf() - 2).map((line) => `  ${line}`),
    ),
  ];
}
