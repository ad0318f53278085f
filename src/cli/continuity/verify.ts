import type { AnchorEntry, LostProject, Project, Verification, VerifyOptions } from "../../continuity/index.ts";
import { workflowId } from "../../continuity/base/workflow-id.ts";
import { printable } from "../../doctor/printable.ts";
import { counted } from "../../doctor/words.ts";
import { type Opened, chooseProject, type ReadOptions, withContinuity } from "./base/store.ts";
import { wrapped, chooseWidth } from "./base/text.ts";
import { EXIT, type Outcome, runAsync } from "../run.ts";
import { waiting } from "../waiting.ts";

/** From this number of events on, checking takes longer than a person waits without a word. */
const MANY_EVENTS = 20_000;

interface VerifyCommandOptions extends ReadOptions {
  readonly rebuildSnapshots?: boolean;
  readonly expect?: VerifyOptions["expect"];
}

interface Verified extends Verification {
  readonly dropped: number;
}

/** What is wrong beside the projects that can be read. */
interface OfStore {
  readonly lost: readonly LostProject[];
  /** Faults of the database itself, which the check of no project reports. */
  readonly faults: readonly string[];
  readonly missing: readonly AnchorEntry[];
}

/**
 * `openclaw-integrity continuity verify`: checks all projects unless one is named, and whether the store has rows of
 * projects that no name leads to. With `--rebuild-snapshots` the snapshots of projects with an intact ledger are
 * deleted. Exits with 1 when something is damaged.
 */
export async function verifyCommand(options: VerifyCommandOptions): Promise<void> {
  await runAsync(options, () =>
    withContinuity(options, async (opened) => {
      const lost = await listLost(opened, options);
      const verified: Verified[] = [];
      const projects =
        lost.length > 0 && options.project !== undefined ? [] : await chooseProjects(opened, options, lost);
      // One database has all projects: it is checked with the first one, or alone.
      for (const [index, project] of projects.entries())
        verified.push(await verifyProject(project, options, index === 0));
      const faults = verified.length === 0 ? await opened.store.faults() : [];
      const missing = options.project === undefined ? await missingFrom(opened, lost) : [];
      return toOutcome(opened.place, verified, { lost, faults, missing });
    }),
  );
}

/** Returns the ledgers that the anchor names and of which the store has no row any more. */
async function missingFrom({ store }: Opened, lost: readonly LostProject[]): Promise<AnchorEntry[]> {
  // The anchor first: what it names is in the store by then.
  const entries = store.anchor?.entries() ?? [];
  const known = new Set([...(await store.workflows()), ...lost].map(({ workflow_id }) => workflow_id));
  return entries.filter(({ workflow_id }) => !known.has(workflow_id));
}

/** Returns the lost projects that are concerned: all, or those of the name that the options have. */
async function listLost({ continuity }: Opened, { project }: VerifyCommandOptions): Promise<LostProject[]> {
  const lost = await continuity.lostProjects();
  if (project === undefined) return lost;
  const id = workflowId(project);
  return lost.filter(({ workflow_id, project_id }) => workflow_id === id || project_id === project);
}

async function chooseProjects(
  opened: Opened,
  options: VerifyCommandOptions,
  lost: readonly LostProject[],
): Promise<Project[]> {
  // A position is that of one project.
  if (options.project !== undefined || options.expect !== undefined) return [await chooseProject(opened, options)];
  const { continuity, store } = opened;
  const events = (await store.workflows()).reduce((sum, { last_event_seq }) => sum + last_event_seq, 0);
  if (events > MANY_EVENTS) waiting(`checking ${counted(events, "event")}`);
  const hidden = new Set(lost.map(({ project_id }) => project_id));
  const found: Project[] = [];
  for (const name of await continuity.projects()) {
    const project = hidden.has(name) ? undefined : await continuity.find(name);
    if (project) found.push(project);
  }
  return found;
}

async function verifyProject(
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

function toOutcome(place: string, projects: readonly Verified[], { lost, faults, missing }: OfStore): Outcome {
  const damages = projects.reduce((sum, one) => sum + one.damages.length, lost.length + faults.length + missing.length);
  return {
    data: { place, projects, lost, faults, missing, damages },
    lines:
      projects.length + lost.length + faults.length + missing.length === 0
        ? [`no project in ${place}`]
        : [
            ...(projects.length + lost.length === 0 ? [`no project in ${place}`] : []),
            ...faults.flatMap((fault) => wrapped(`the database: ${fault}`, chooseWidth())),
            ...lost.flatMap(lostLines),
            ...projects.flatMap(verifiedLines),
            ...missing.map(
              ({ workflow_id, event_seq }) =>
                `MISSING: a project with workflow id ${workflow_id}, of which the anchor ` +
                `knows ${counted(event_seq, "event")}`,
            ),
          ],
    exit: damages === 0 ? EXIT.ok : EXIT.refused,
  };
}

function lostLines({ project_id, workflow_id, events, message }: LostProject): string[] {
  return [
    `${printable(project_id ?? `a project without a name (workflow ${workflow_id})`, 200)}: LOST, ` +
      `with ${counted(events, "event")}`,
    ...wrapped(message, chooseWidth() - 2).map((line) => `  ${line}`),
  ];
}

function verifiedLines({ project_id, events, snapshots, completed_steps, head, damages, dropped }: Verified): string[] {
  const extent =
    `${counted(events, "event")}, ${counted(snapshots, "snapshot")}, ` +
    `${counted(completed_steps, "completed step")}`;
  return [
    `${printable(project_id, 200)}: ` +
      (damages.length === 0 ? `intact (${extent})` : `DAMAGED in ${counted(damages.length, "place")}`),
    ...(damages.length === 0 ? [] : [`  ${extent} could be read`]),
    ...(head === null ? [] : [`  ends with ${head.event_seq}:${head.checksum}`]),
    ...(dropped === 0 ? [] : [`  ${counted(dropped, "snapshot")} deleted; the next one is made from the ledger`]),
    ...damages.flatMap(({ place, message }) =>
      wrapped(`${place}: ${message}`, chooseWidth() - 2).map((line) => `  ${line}`),
    ),
  ];
}
