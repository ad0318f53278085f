import {
  ContinuityError,
  isGone,
  type OpenStep,
  type Outcome as StepOutcome,
  processOwner,
  type Project,
} from "../../continuity/index.ts";
import { continuityError } from "../../continuity/base/errors.ts";
import { isEngines } from "../../continuity/decide/step-words.ts";
import {
  eachProject,
  isInProgress,
  leaseView,
  leaseWords,
  type ProjectStatus,
  projectStatus,
  resolvingCommand,
  type UnreadProject,
} from "../../continuity-report/index.ts";
import { ownCommand } from "../../base/commands/own-command.ts";
import { printable } from "../../doctor/printable.ts";
import { counted } from "../../doctor/words.ts";
import {
  commandAuthor,
  type Opened,
  chooseProject,
  type ReadOptions,
  type StoreOptions,
  withContinuity,
} from "./base/store.ts";
import { givenTexts, needed } from "./base/given-text.ts";
import { openStepLines } from "./status-text.ts";
import { labelled } from "./base/text.ts";
import { EXIT, type Outcome, runAsync, UsageError } from "../run.ts";
import { storeWords } from "../../continuity-tools/store-words.ts";

interface ResolveOptions extends ReadOptions {
  readonly outcome?: StepOutcome;
  readonly attempt?: number;
  readonly by?: string;
  readonly takeOverFrom?: string;
}

const WORDS: Readonly<Record<StepOutcome, string>> = {
  completed: "completed: it is not executed again, and its result is returned",
  not_done: "not done: it may begin again",
  abandoned: "given up: it does not begin again",
};

/**
 * `openclaw-integrity continuity resolve`: records what became of a step that was started and may have run, under a
 * lease of its own for that moment. Without a step it lists those that can be resolved, and writes nothing.
 */
export async function resolveCommand(step_id: string | undefined, options: ResolveOptions): Promise<void> {
  await runAsync(options, async () => {
    const { outcome, attempt, by } = options;
    const { reason, result } = await givenTexts(options, ["reason", "result"]);
    if (step_id === undefined) {
      if ([outcome, reason, result, attempt, by].some((value) => value !== undefined))
        throw new UsageError("missing the step; without one, the steps that can be resolved are listed");
      return withContinuity(options, (opened) => listed(opened, options));
    }
    if (outcome === undefined) throw new UsageError("missing --outcome completed, not_done or abandoned");
    const known = needed(reason, "--reason or --reason-file: how that is known");
    return withContinuity(options, (opened) => resolved(opened, options, { step_id, outcome, reason: known, result }));
  });
}

interface Found {
  readonly step_id: string;
  readonly outcome: StepOutcome;
  readonly reason: string;
  readonly result: string | undefined;
}

async function resolved(
  opened: Opened,
  options: ResolveOptions,
  { step_id, outcome, reason, result }: Found,
): Promise<Outcome> {
  const project = (await chooseProject(opened, options)).as(commandAuthor(options));
  const attempt_id = options.attempt ?? (await findAttempt(opened, project, step_id));
  if (attempt_id === undefined)
    throw continuityError("step-not-started", {
      expected: `a step ${printable(step_id, 100)} of project ${printable(project.project_id, 200)} that was begun`,
      found: "none of that name",
      todo:
        `See the open ones with \`${ownCommand("continuity resolve", { options: storeWords(options) })}\`. ` +
        "Nothing was written.",
    });
  const { takeOverFrom } = options;
  const lease = await project.acquireLease({ owner_id: processOwner(), isGone, takeOverFrom }).catch(async (error) => {
    throw error instanceof ContinuityError && error.code === "lease-held"
      ? await heldBy(project, options, { step_id, outcome, reason, result })
      : error;
  });
  try {
    const { duplicate } = await project.steps.resolve(lease, { step_id, attempt_id, outcome, reason, result });
    return {
      data: { place: opened.place, project_id: project.project_id, step_id, attempt_id, outcome, duplicate },
      lines: [
        `step ${printable(step_id, 100)}, ` +
          `attempt ${attempt_id}: ${WORDS[outcome]}${duplicate ? " (as was recorded before)" : ""}`,
      ],
    };
  } finally {
    await lease.release();
  }
}

/** The refusal while another process has the lease, with the command that takes it over. */
async function heldBy(project: Project, options: ResolveOptions, { step_id, ...found }: Found): Promise<Error> {
  const owner = (await project.leaseRow())?.owner_id ?? "";
  const texts = Object.entries({ ...found, attempt: options.attempt, by: options.by, "take-over-from": owner });
  const command = ownCommand("continuity resolve", {
    options: [
      ...storeWords({ ...options, project: project.project_id }),
      ...texts.flatMap(([name, text]) => (text === undefined ? [] : [`--${name}`, String(text)])),
    ],
    argument: step_id,
  });
  return continuityError("lease-held", {
    expected: `no process to be executing steps of project ${printable(project.project_id, 200)}`,
    found: leaseWords(leaseView(await project.leaseRow(), Date.now()), Date.now()),
    todo:
      `Wait until the lease is free. If you know that nothing is being executed there: \`${command}\`. ` +
      "Nothing was written.",
  });
}

/**
 * Returns the attempt of a step without a known outcome, else its latest one. Throws a usage error for several of them.
 */
async function findAttempt({ store }: Opened, project: Project, step_id: string): Promise<number | undefined> {
  const open = (await project.activeWork()).open_steps.filter((step) => step.step_id === step_id);
  if (open.length > 1)
    throw new UsageError(
      `missing --attempt: attempts ${open.map(({ attempt_id }) => attempt_id).join(", ")} of that step may have run`,
    );
  return open[0]?.attempt_id ?? (await store.step(project.workflow_id, step_id, 1)).attempt?.attempt_id;
}

/** Lists the open steps of the project that the options name, or of all projects. */
async function listed(opened: Opened, options: StoreOptions): Promise<Outcome> {
  const [projects, unread]: [ProjectStatus[], UnreadProject[]] = [[], []];
  if (options.project !== undefined)
    projects.push((await projectStatus(await chooseProject(opened, options), opened.store, Date.now())).status);
  else
    await eachProject(
      opened,
      Date.now(),
      (one) => void ("status" in one ? projects.push(one.status) : unread.push(one)),
    );
  const open = projects.filter(({ open_steps }) => open_steps.length > 0);
  const steps = open.flatMap((project) => project.open_steps.map((step) => ({ project, step })));
  return {
    data: {
      place: opened.place,
      open_steps: steps.map(({ project: { project_id, lease }, step }) => ({
        project_id,
        ...step,
        in_progress: isInProgress(step, lease),
      })),
    },
    lines:
      steps.length === 0
        ? [`no step without a known outcome in ${printable(opened.place, 500)}`]
        : open.flatMap((project, at) => [...(at === 0 ? [] : [""]), ...projectLines(project, options)]),
    warnings: unread.map(
      ({ project_id, workflow_id, message }) =>
        `project ${printable(project_id ?? `without a name (workflow ${workflow_id})`, 200)} cannot be ` +
        `read: ${message}`,
    ),
    exit: unread.length > 0 ? EXIT.no : EXIT.ok,
  };
}

function projectLines({ project_id, open_steps, lease }: ProjectStatus, options: StoreOptions): string[] {
  return [
    `Project ${printable(project_id, 200)}: ${counted(open_steps.length, "step")} without a known outcome`,
    ...(lease === null ? [] : labelled("lease", leaseWords(lease, Date.now()))),
    ...open_steps.flatMap((step) => {
      const command = resolvingCommand(step, open_steps, storeWords({ ...options, project: project_id }));
      return stepLines(step, isInProgress(step, lease), command);
    }),
  ];
}

function stepLines(step: OpenStep, isRunning: boolean, command: string): string[] {
  if (isRunning && !isEngines(step))
    return [...openStepLines(step), "    It may be in progress: wait until the lease is free."];
  const how = isRunning
    ? "A durable engine executes it, and ends it. Only if that engine is lost, and it happened:"
    : "If it happened (else --outcome not_done or abandoned):";
  return [...openStepLines(step), `    ${how}`, `      ${command}`];
}
