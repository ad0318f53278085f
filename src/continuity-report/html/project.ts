import type { Author, Goal, OpenStep, Task } from "../../continuity/index.ts";
import { ownCommand } from "../../base/commands/own-command.ts";
import { type Content, html, type Markup } from "../../doctor/html/markup.ts";
import { counted } from "../../doctor/words.ts";
import { copyText, isEngines } from "../../continuity/decide/step-words.ts";
import { isInProgress, leaseWords } from "../lease-view.ts";
import { isUnread, type ProjectStatus, type UnreadProject } from "../status.ts";
import type { PageProject } from "./page-project.ts";
import { table } from "./table.ts";
import { by, recorded, when } from "./texts.ts";

const STATUS_WORDS = { doing: "doing", blocked: "blocked", todo: "to do", done: "done" } as const;
const STATUS_ORDER: readonly string[] = ["doing", "blocked", "todo", "done"];
const STEP_WORDS: Readonly<Record<string, string>> = {
  pure: "only computes",
  idempotent: "harmless when executed twice",
  non_idempotent: "must not be executed twice",
};

/** Renders a project as a section. `at` is its number on the page, `store` the options that select its store. */
export function projectSection(
  project: PageProject | UnreadProject,
  at: number,
  { store, now }: { readonly store: readonly string[]; readonly now: number },
): Markup {
  const id = `p${at}`;
  const name = projectName("code" in project ? project : project.status);
  return html`<section class="project" id="${id}" aria-labelledby="${id}-name">
<h2 id="${id}-name">${name}</h2>
${"code" in project ? unread(project) : read(project, id, { store, now })}</section>
`;
}

/** Returns the name of a project, or what stands for one. */
export function projectName(project: ProjectStatus | UnreadProject): Markup {
  if (project.project_id !== null) return html`<bdi>${project.project_id}</bdi>`;
  return html`a project without a name (workflow <code>${isUnread(project) && (project.workflow_id ?? "")}</code>)`;
}

function unread({ code, message }: UnreadProject): Markup {
  return html`<div class="next alarm"><p><b class="bad">It cannot be read.</b> ${recorded(message)} (${code})</p></div>`;
}

function read(
  { status, state, events }: PageProject,
  id: string,
  { store, now }: { readonly store: readonly string[]; readonly now: number },
): Markup {
  const { counts, worked_at, stale, completed_steps, open_steps, lease } = status;
  const goals = Object.values(state.goals);
  const done = state.finished?.goals ?? 0;
  return html`${next(status)}
<dl class="facts">
<dt>Tasks</dt><dd>${STATUS_ORDER.map((one) => `${counts[one as keyof typeof counts].toLocaleString("en")} ${STATUS_WORDS[one as keyof typeof STATUS_WORDS]}`).join(", ")}</dd>
<dt>Last change</dt><dd>${worked_at === null ? "never" : when(worked_at)}${stale && html`: agents ask before they continue it`}</dd>
<dt>Steps</dt><dd>${counted(completed_steps, "step")} completed, ${open_steps.length.toLocaleString("en")} without a known outcome</dd>
<dt>Lease</dt><dd><bdi>${leaseWords(lease, now)}</bdi></dd>
</dl>
${openSteps(status, id, store)}${goalTable(goals, id, done)}${taskTable(status, state.checkpoints, id, new Map(goals.map((goal) => [goal.goal_id, goal.text])))}${table(
    { id: `${id}-events`, heading: "Last events" },
    [
      { heading: "No.", as: "nowrap" },
      { heading: "What", as: "grow" },
      { heading: "When", as: "nowrap" },
    ],
    events.map(({ event_seq, timestamp, author, text }) => [
      event_seq.toLocaleString("en"),
      html`<bdi>${text}</bdi><small>by ${by(author)}</small>`,
      when(timestamp),
    ]),
  )}`;
}

function next({ next: step, needs, stale, unknown_since }: ProjectStatus): Markup {
  const alarm = (needs === "unknown_step" || needs === "older_copy") && " alarm";
  const why = unknown_since
    ? html`<p><b class="bad">${copyText(unknown_since)}</b></p>`
    : needs === "unknown_step" &&
      html`<p><b class="bad">A step may have run, and nobody is executing it.</b> It is listed below.</p>`;
  if (step.kind === "propose_tasks")
    return html`<div class="next${alarm}">${why}<p><b>No task can be worked on.</b> ${step.waiting.length > 0 && `${counted(step.waiting.length, "task")} waiting for others. `}New tasks are needed.</p></div>`;
  const { next_step, title, where_we_left_off, required_context_refs, blockers, acceptance_criteria, authors } = step;
  return html`<div class="next${alarm}">${why}<p><b>Next:</b> ${recorded(next_step)} <small>by ${by(authors.next_step)}</small></p>
<dl class="facts"><dt>Task</dt><dd>${recorded(title)}</dd>
${where_we_left_off !== null && html`<dt>Left off</dt><dd>${recorded(where_we_left_off)}</dd>`}
${required_context_refs.map((reference) => html`<dt>Needs</dt><dd>${recorded(reference)}</dd>`)}
${blockers.map((blocker) => html`<dt>Blocker</dt><dd>${recorded(blocker)}</dd>`)}
${acceptance_criteria.map((criterion) => html`<dt>Done when</dt><dd>${recorded(criterion)}</dd>`)}</dl>${stale && html`<p class="soft">It has rested: agents ask before they continue it.</p>`}</div>`;
}

function goalTable(goals: readonly Goal[], id: string, done: number): Content {
  return table(
    {
      id: `${id}-goals`,
      heading: "Goals",
      note:
        done > 0 && html`<p class="soft">${counted(done, "goal")} done ${done === 1 ? "is" : "are"} not listed.</p>`,
    },
    [
      { heading: "Goal", as: "grow" },
      { heading: "Status", as: "nowrap" },
      { heading: "Priority", as: "nowrap" },
    ],
    goals
      .toSorted((a, b) => b.priority - a.priority || a.created_seq - b.created_seq)
      .map(({ goal_id, text, status, priority, author }) => [
        html`${recorded(text)}${origin(goal_id, author)}`,
        html`<span class="status ${status}">${status}</span>`,
        priority.toLocaleString("en"),
      ]),
  );
}

function taskTable(
  { tasks, goals: active }: ProjectStatus,
  checkpoints: PageProject["state"]["checkpoints"],
  id: string,
  goalTexts: ReadonlyMap<string, string>,
): Content {
  const details = (task: Task): Content => {
    const checkpoint = Object.hasOwn(checkpoints, task.task_id) ? checkpoints[task.task_id] : undefined;
    return [
      active.length > 1 && html`<small>of: ${recorded((goalTexts.get(task.goal_id) ?? "").slice(0, 100))}</small>`,
      task.blockers.map((blocker) => html`<small>waits for: ${recorded(blocker)}</small>`),
      task.pause_reason !== null && html`<small>paused: ${recorded(task.pause_reason)}</small>`,
      checkpoint !== undefined && html`<small>next: ${recorded(checkpoint.next_step)}</small>`,
      task.depends_on.length > 0 && html`<small>depends on ${counted(task.depends_on.length, "task")}</small>`,
    ];
  };
  return table(
    { id: `${id}-tasks`, heading: "Tasks" },
    [
      { heading: "Task", as: "grow" },
      { heading: "Status", as: "nowrap" },
      { heading: "Last change", as: "nowrap" },
    ],
    tasks
      .toSorted(
        (a, b) => STATUS_ORDER.indexOf(a.status) - STATUS_ORDER.indexOf(b.status) || a.created_seq - b.created_seq,
      )
      .map((task) => [
        html`${recorded(task.title)}${details(task)}${origin(task.task_id, task.author)}`,
        html`<span class="status ${task.status}">${STATUS_WORDS[task.status]}</span>`,
        when(task.updated_at),
      ]),
  );
}

function openSteps({ project_id, open_steps, lease }: ProjectStatus, id: string, store: readonly string[]): Content {
  const state = (step: OpenStep): Markup =>
    isInProgress(step, lease)
      ? html`<span class="status doing">in progress</span>${isEngines(step) && html`<small>by a durable engine</small>`}`
      : html`<span class="status unknown">may have run</span>`;
  const isUnknown = open_steps.some((step) => !isInProgress(step, lease));
  const command = ownCommand("continuity resolve", { options: [...store, "--project", project_id] });
  return table(
    {
      id: `${id}-steps`,
      heading: "Steps without a known outcome",
      note:
        isUnknown && html`<p>Find out what became of each, and record it:</p><code class="command">${command}</code>`,
    },
    [
      { heading: "Step", as: "some" },
      { heading: "State", as: "nowrap" },
      { heading: "Started", as: "nowrap" },
      { heading: "What is known", as: "grow" },
    ],
    open_steps.map((step) => [
      html`<bdi>${step.step_id}</bdi><small>attempt ${step.attempt_id}, by ${by(step.author)}</small>`,
      state(step),
      when(step.started_at),
      html`${STEP_WORDS[step.step_type] ?? step.step_type}${step.idempotency_key !== null && html`<small>key ${recorded(step.idempotency_key)}</small>`}${step.input_text !== "null" && html`<small>input ${recorded(step.input_text)}</small>`}${step.error !== undefined && html`<small>failed: ${recorded(step.error)}</small>`}${step.unknown_since !== undefined && html`<small>may have happened before event ${step.unknown_since.toLocaleString("en")}</small>`}`,
    ]),
  );
}

/** The id of a goal or task, which commands take, and who wrote its text. */
function origin(id: string, author: Author): Markup {
  return html`<small><code>${id}</code> by ${by(author)}</small>`;
}
