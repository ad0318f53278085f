/** `openclaw-integrity setup`: patch, proof and plugin in one command, and the way back. */
import { CodedError, describeError } from "../../base/coded-error.ts";
import { type Line, say, toned } from "../../base/terminal.ts";
import { installService, lastingHookUrl } from "../../register/index.ts";
import { status } from "../../patching/index.ts";
import { RESTART } from "../../doctor/index.ts";
import { applyOutcome } from "../patch/apply.ts";
import { installOutcome } from "../plugin/install.ts";
import { runAsking } from "../question.ts";
import { rehearseOutcome } from "../rehearse/rehearse.ts";
import { EXIT, UsageError, type Outcome } from "../run.ts";
import { alone, assertUnchanged } from "./alone.ts";
import { confirm } from "./confirm.ts";
import { SetupError } from "./errors.ts";
import { gatewayLines } from "./next.ts";
import { planSetup, pluginOptions, type PlannedPart, type SetupOptions, type SetupPlan } from "./plan.ts";
import { readSetup, writeSetup, type Part } from "./record.ts";
import { checkRoom } from "./disk-space.ts";
import { undoOutcome, undoParts } from "./undo.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** `openclaw-integrity setup` */
export async function setupCommand(options: SetupOptions): Promise<void> {
  await runAsking(options, () => {
    if (options.rehearse !== undefined) return rehearseOutcome(options, (root) => gatewayLines(root, true, [RESTART]));
    if (options.switch === true || options.sessions !== undefined)
      throw new UsageError("expected --rehearse <version> beside --switch and --sessions; found none");
    return options.undo === true ? undoOutcome(options) : setupOutcome(options);
  });
}

/** What the parts of a setup leave to say and to do. */
interface Done {
  readonly warnings: readonly string[];
  /** Commands that make what runs already use what was done. */
  readonly next: readonly string[];
}

async function setupOutcome(options: SetupOptions): Promise<Outcome> {
  // A record that cannot be read would be written over.
  const seen = readSetup();
  const plan = planSetup(options);
  const { found, way, parts, notes, starts } = plan;
  const startsPatched = starts !== "by-hand";
  const data = { root: found.root, release: found.release, way, starts, startsPatched };
  const all = { ...data, parts: parts.map(({ part }) => part) };
  // Where a person has to start the gateway in another way, the work is not done.
  const exit = startsPatched ? EXIT.ok : EXIT.no;
  if (parts.length === 0) {
    const head = `OpenClaw ${found.release} in ${found.root} is set up`;
    const lines = startsPatched
      ? [
          ...toned([`${head}, nothing to do`], "good"),
          ...indented(notes),
          ...gatewayLines(found.root, way === "files", []),
        ]
      : [
          ...toned([`${head} as far as setup can, but a start of the gateway as before is NOT patched`], "bad"),
          ...indented(notes),
        ];
    const action = startsPatched ? "already" : "start-by-hand";
    return { data: { ...all, action, next: [] }, lines, exit: options.dryRun ? EXIT.ok : exit };
  }
  const planned = planLines(plan);
  if (options.dryRun === true)
    return {
      data: { ...all, action: "would-set-up", plan: plan.parts, notes },
      lines: [...planned, "  nothing was changed"],
    };
  await confirm(planned, "Do this?", options);
  checkRoom(plan.bytesOfPlugin);
  const { warnings, next } = await alone(() => {
    assertUnchanged(seen);
    return doParts(plan, options);
  });
  return {
    data: { ...all, action: "set-up", next },
    lines: [
      ...(startsPatched
        ? toned(["done."], "good")
        : toned(["done, but for the start of the gateway, which is NOT patched as before:"], "bad")),
      ...(startsPatched ? [] : indented(notes)),
      ...gatewayLines(found.root, way === "files", next),
      `  undo: ${ownCommand("setup", { options: ["--undo"] })}`,
    ],
    warnings,
    exit,
  };
}

function planLines({ found, notes, parts }: SetupPlan): readonly string[] {
  return [
    `OpenClaw ${found.release} in ${found.root}`,
    ...indented(notes),
    "setup will:",
    ...parts.flatMap(({ lines: [first = "", ...more] }, index) => [
      `  ${index + 1}. ${first}`,
      ...more.map((line) => `     ${line}`),
    ]),
  ];
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

/** Does the parts in order. When one fails, the parts of this run are undone, and its error is thrown. */
async function doParts(plan: SetupPlan, options: SetupOptions): Promise<Done> {
  const { root } = plan.found;
  const before = readSetup();
  const had = before?.root === root ? before.parts : [];
  const begun: Part[] = [];
  const done: Done[] = [];
  for (const planned of plan.parts) {
    begun.push(planned.part);
    writeSetup({ root, parts: [...new Set([...had, ...begun])] });
    try {
      done.push(await doPart(planned, plan, options));
    } catch (error) {
      const { problems } = await undoParts(root, begun.toReversed());
      writeSetup({ root, parts: had });
      throw toSetupError(error, begun.slice(0, -1), problems.length > 0 ? problems : statePublished(root, begun));
    }
  }
  const next = new Set(done.flatMap((one) => one.next));
  // What the service restarts needs no other restart.
  if (next.size > 1) next.delete(RESTART);
  return { warnings: done.flatMap(({ warnings }) => warnings), next: [...next] };
}

async function doPart({ part }: PlannedPart, plan: SetupPlan, options: SetupOptions): Promise<Done> {
  const { found, way, service } = plan;
  const tell = (lines: readonly Line[]): void => {
    if (options.json !== true && options.quiet !== true) say(lines);
  };
  if (part === "service") {
    const { file, next } = installService(service!, lastingHookUrl());
    tell([`the service starts OpenClaw patched in memory from its next start on (${file})`]);
    return { warnings: [], next };
  }
  if (part === "patch") tell(["patching, then proving (one to two minutes) ..."]);
  const outcome =
    part === "patch"
      ? await applyOutcome({ path: found.root, prove: true, quiet: true })
      : await installOutcome(pluginOptions(options, found.root, way));
  // What apply keeps without a proof, the plugin proves later: nothing was found against the patch.
  if (outcome.data["action"] === "kept") return { warnings: outcome.warnings ?? [], next: [RESTART] };
  if ((outcome.exit ?? EXIT.ok) !== EXIT.ok) throw new SetupError("incomplete", unproven(outcome.data["proof"]));
  tell(outcome.lines);
  return { warnings: outcome.warnings ?? [], next: part === "patch" ? [RESTART] : [] };
}

/** Why the patch was not proven. */
function unproven(proof: unknown): string {
  const { sentence = "the patch was not proven", todo } = (proof ?? {}) as { sentence?: string; todo?: string };
  return `${sentence}.${todo === undefined ? "" : ` ${todo}`}`;
}

/** That the patch which this run has begun is not there, where it is so. */
function statePublished(root: string, begun: readonly Part[]): string[] {
  try {
    return begun.includes("patch") && status(root).state === "stock" ? ["OpenClaw is as published again."] : [];
  } catch {
    return [];
  }
}

/** The cause, once, and what became of the parts before it. */
function toSetupError(error: unknown, undone: readonly Part[], found: readonly string[]): Error {
  if (!(error instanceof CodedError)) return error instanceof Error ? error : new Error(describeError(error));
  const words = { patch: "the patch", service: "the change of the service", plugin: "the plugin" };
  const back = undone.map((part) => words[part]).join(" and ");
  const isUndone = !found.some((sentence) => sentence.startsWith("Not undone"));
  const end = [...(isUndone && back !== "" ? [`Setup has undone ${back} of this run too.`] : []), ...found].join(" ");
  return new SetupError("incomplete", `${error.message} ${end}`.trimEnd(), { cause: error });
}
