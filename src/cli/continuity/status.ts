import { resolve } from "node:path";
import { ContinuityError, type LedgerEvent, type Project, type WorkState } from "../../continuity/index.ts";
import {
  byNeed,
  eachProject,
  eventText,
  isUnread,
  namesFor,
  type PageProject,
  projectStatus,
  type ProjectStatus,
  toStatus,
  type UnreadProject,
  renderWorkPage,
} from "../../continuity-report/index.ts";
import { isThere } from "../../base/is-there.ts";
import { otherStore, selectPlace, chooseProject, type Opened, type ReadOptions, withContinuity } from "./base/store.ts";
import { assertPageFolder, putPage } from "../page-file.ts";
import { allLines, statusLines } from "./status-text.ts";
import { EXIT, type Outcome, runAsync } from "../run.ts";
import { waiting } from "../waiting.ts";
import { storeWords } from "../../continuity-tools/store-words.ts";

/** From this number of projects on, reading takes longer than a person waits without a word. */
const MANY = 50;

interface StatusOptions extends ReadOptions {
  readonly html?: string;
}

/** Events of each project on the page. */
const LAST_EVENTS = 20;

/** `openclaw-integrity continuity status` */
export async function statusCommand(options: StatusOptions): Promise<void> {
  await runAsync(options, () => {
    const page = options.html === undefined ? undefined : resolve(options.html);
    if (page !== undefined) assertPageFolder(page);
    return unlessNone(options, async (opened) => {
      const found: (PageProject | UnreadProject)[] = [];
      const now = Date.now();
      const isOfOne = await isOneShown(opened, options);
      if (isOfOne) {
        const project = await chooseProject(opened, options);
        found.push(await readProject({ project, ...(await projectStatus(project, opened.store, now)) }, page));
      } else
        await eachProject(
          opened,
          now,
          async (one) => void found.push("code" in one ? one : await readProject(one, page)),
        );
      const projects = byNeed(found, toStatus);
      if (page !== undefined)
        putPage(
          page,
          renderWorkPage({
            place: opened.place,
            at: now,
            projects,
            store: storeWords({ ...options, project: undefined }),
          }),
        );
      return toOutcome(opened, options, { projects: projects.map(toStatus), isOfOne, page });
    });
  });
}

/** Returns whether one project is shown as a whole: the one that is named, or the only one. */
async function isOneShown({ continuity }: Opened, { project }: ReadOptions): Promise<boolean> {
  if (project !== undefined) return true;
  const names = await continuity.projects();
  if (names.length > MANY) waiting(`reading ${names.length} projects`);
  return names.length <= 1 && (await continuity.lostProjects()).length === 0;
}

/** Returns what is shown of a project; its events are read for a page only. */
async function readProject(
  { project, status, state }: { readonly project: Project; readonly status: ProjectStatus; readonly state: WorkState },
  page: string | undefined,
): Promise<PageProject> {
  if (page === undefined) return { status, state, events: [] };
  const events: LedgerEvent[] = [];
  for await (const event of project.history({ after: Math.max(0, status.events - LAST_EVENTS) })) events.push(event);
  const names = await namesFor(project, state, events);
  return {
    status,
    state,
    events: events.toReversed().map((event) => ({
      event_seq: event.event_seq,
      timestamp: event.timestamp,
      text: eventText(event, names),
      ...(event.author && { author: event.author }),
    })),
  };
}

function toOutcome(
  { place }: Opened,
  options: StatusOptions,
  {
    projects,
    isOfOne,
    page,
  }: {
    readonly projects: readonly (ProjectStatus | UnreadProject)[];
    readonly isOfOne: boolean;
    readonly page: string | undefined;
  },
): Outcome {
  const [only] = projects;
  const isShownWhole = isOfOne && only !== undefined && !isUnread(only);
  return {
    data: { place, ...(isShownWhole ? only : { projects }), ...(page !== undefined && { page }) },
    lines: [
      ...(isShownWhole ? statusLines(only, options) : allLines(projects, place, options)),
      ...(page === undefined ? [] : ["", `the page is in ${page}`]),
    ],
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
    const at = selectPlace(options);
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
