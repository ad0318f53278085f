import { ContinuityError } from "../../continuity/index.ts";
import {
  byNeed,
  eachProject,
  isUnread,
  projectStatus,
  type ProjectStatus,
  type UnreadProject,
} from "../../continuity-report/index.ts";
import { isThere } from "../../base/is-there.ts";
import { otherStore, placeOf, projectOf, type Opened, type ReadOptions, withContinuity } from "./store.ts";
import { allLines, statusLines } from "./status-text.ts";
import { EXIT, type Outcome, runAsync } from "../run.ts";
import { waiting } from "../waiting.ts";

/** So many projects take longer to read than a person waits without a word. */
const MANY = 50;

/** `openclaw-integrity continuity status` */
export async function statusCommand(options: ReadOptions): Promise<void> {
  await runAsync(options, () =>
    unlessNone(options, async (opened) =>
      (await isOfOne(opened, options)) ? ofOne(opened, options) : ofAll(opened, options),
    ),
  );
}

/** Returns whether one project is shown as a whole: the one that is named, or the only one. */
async function isOfOne({ continuity }: Opened, { project }: ReadOptions): Promise<boolean> {
  if (project !== undefined) return true;
  const names = await continuity.projects();
  if (names.length > MANY) waiting(`reading ${names.length} projects`);
  return names.length <= 1 && (await continuity.lostProjects()).length === 0;
}

async function ofOne(opened: Opened, options: ReadOptions): Promise<Outcome> {
  const { status } = await projectStatus(await projectOf(opened, options), opened.store, Date.now());
  return { data: { place: opened.place, ...status }, lines: statusLines(status, options) };
}

async function ofAll(opened: Opened, options: ReadOptions): Promise<Outcome> {
  const found: (ProjectStatus | UnreadProject)[] = [];
  await eachProject(opened, Date.now(), (one) => void found.push("status" in one ? one.status : one));
  const projects = byNeed(found, (one) => one);
  return {
    data: { place: opened.place, projects },
    lines: allLines(projects, opened.place, options),
    exit: projects.some(isUnread) ? EXIT.no : EXIT.ok,
  };
}

/** {@link withContinuity}; a default store that is not there yet is no error: nothing has been recorded. */
async function unlessNone(options: ReadOptions, work: (opened: Opened) => Promise<Outcome>): Promise<Outcome> {
  const { file, postgres, project } = options;
  try {
    return await withContinuity(options, work);
  } catch (error) {
    const isDefault = file === undefined && postgres === undefined && project === undefined;
    const at = placeOf(options);
    if (!isDefault || !("file" in at) || !isCode(error, "not-found") || isThere(at.file)) throw error;
    return {
      data: { place: at.file, project_id: null },
      lines: [`no work has been recorded yet: there is no store ${at.file}${otherStore(options)}`],
    };
  }
}

function isCode(error: unknown, code: ContinuityError["code"]): boolean {
  return error instanceof ContinuityError && error.code === code;
}
