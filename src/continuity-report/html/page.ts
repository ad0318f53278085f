import { formatMinute } from "../../base/time.ts";
import { renderDocument } from "../../doctor/html/document.ts";
import { type Content, html, type Markup } from "../../doctor/html/markup.ts";
import { counted } from "../../doctor/words.ts";
import type { LeaseView } from "../lease-view.ts";
import { isIdle, isUnread, type Need, type ProjectStatus, type UnreadProject } from "../status.ts";
import type { PageProject } from "./page-project.ts";
import { projectName, projectSection } from "./project.ts";
import { STYLE } from "./style.ts";
import { table } from "./table.ts";
import { when } from "./texts.ts";

/** What the page shows. */
export interface WorkPage {
  /** Name of the store. */
  readonly place: string;
  /** When it was read, milliseconds since 1970. */
  readonly at: number;
  /** The projects in the order of the page. */
  readonly projects: readonly (PageProject | UnreadProject)[];
  /** The options that select the store, for commands to be copied. */
  readonly store: readonly string[];
}

const NEED_WORDS: Readonly<Record<Need, string>> = {
  damaged: "cannot be read",
  older_copy: "goes on from an older copy",
  unknown_step: "a step may have run",
  blocked: "blocked",
  rested: "rested",
};

/**
 * Renders recorded work as one self-contained page: no script, no network, no font. All recorded text is escaped, and
 * the page's content security policy permits the style sheet by its hash and nothing else. The work and the size grow
 * linearly with the number of tasks.
 */
export function renderWorkPage({ place, at, projects, store }: WorkPage): string {
  const statuses = projects.map(toStatus);
  const needing = statuses.filter(({ needs }) => needs !== null).length;
  const title = "Recorded work";
  return renderDocument({
    title: `${title}, ${formatMinute(at)} UTC`,
    style: STYLE,
    content: html`<h1>${title}</h1>
<p class="soft">Read at ${formatMinute(at)} UTC, from <code>${place}</code>. It shows what agents and people have recorded: share this page with care. All times are UTC.</p>
<div class="next${needing > 0 && " alarm"}"><p>${summary(projects.length, needing)}</p></div>
${projects.length > 1 && overview(statuses)}
${projects.map((project, index) => projectSection(project, index + 1, { store, now: at }))}
`,
  });
}

/** Returns the status of a project of the page. */
export function toStatus(project: PageProject | UnreadProject): ProjectStatus | UnreadProject {
  return "code" in project ? project : project.status;
}

function summary(all: number, needing: number): string {
  if (all === 0) return "No work has been recorded yet.";
  if (needing === 0) return `${counted(all, "project")}: none needs a person.`;
  return `${needing.toLocaleString("en")} of ${counted(all, "project")} ${needing === 1 ? "needs" : "need"} a person.`;
}

function overview(statuses: readonly (ProjectStatus | UnreadProject)[]): Content {
  return table(
    { id: "projects", heading: "Projects", level: 2 },
    [
      { heading: "Project", as: "grow" },
      { heading: "Needs", as: "nowrap" },
      { heading: "Open tasks", as: "nowrap" },
      { heading: "Last change", as: "nowrap" },
      { heading: "Lease", as: "some" },
    ],
    statuses.map((status, at) => [
      html`<a href="#p${at + 1}">${projectName(status)}</a>`,
      need(status),
      ...(isUnread(status)
        ? ["", "", ""]
        : [
            status.tasks.length.toLocaleString("en"),
            status.worked_at === null ? "never" : when(status.worked_at),
            leaseWord(status.lease),
          ]),
    ]),
  );
}

function need(status: ProjectStatus | UnreadProject): Markup {
  if (status.needs === null)
    return html`<span class="soft">${isUnread(status) || !isIdle(status) ? "nothing" : "nothing open"}</span>`;
  const isAlarm = ["damaged", "older_copy", "unknown_step"].includes(status.needs);
  return html`<span class="status ${isAlarm ? "unknown" : "paused"}">${NEED_WORDS[status.needs]}</span>`;
}

/** The state of a lease in a few words; the section of the project has the rest. */
function leaseWord(lease: LeaseView | null): Content {
  if (lease === null) return "free";
  if (!lease.is_held) return "free, not released";
  return lease.owner_state === "gone" ? html`<span class="bad">held, its process has ended</span>` : "held";
}
