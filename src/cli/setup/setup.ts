/** `openclaw-integrity setup`: patch, proof and plugin in one command, and the way back. */
import { CodedError, reasonOf } from "../../base/coded-error.ts";
import { say } from "../../base/terminal.ts";
import { installService, lastingHookUrl } from "../../register/index.ts";
import { applyOutcome } from "../patch/apply.ts";
import { installOutcome } from "../plugin/install.ts";
import { runAsking } from "../question.ts";
import { EXIT, type Outcome } from "../run.ts";
import { confirm } from "./confirm.ts";
import { setupError } from "./errors.ts";
import { planSetup, pluginOptions, type PlannedPart, type SetupOptions, type SetupPlan } from "./plan.ts";
import { readSetup, writeSetup, type Part } from "./record.ts";
import { undoOutcome, undoParts } from "./undo.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** `openclaw-integrity setup` */
export async function setupCommand(options: SetupOptions): Promise<void> {
  await runAsking(options, () => (options.undo === true ? undoOutcome(options) : setupOutcome(options)));
}

async function setupOutcome(options: SetupOptions): Promise<Outcome> {
  const plan = planSetup(options);
  const { found, way, because, parts } = plan;
  const data = { root: found.root, release: found.release, way, parts: parts.map(({ part }) => part) };
  if (parts.length === 0)
    return {
      data: { ...data, action: "already" },
      lines: [`OpenClaw ${found.release} in ${found.root} is set up, nothing to do`, ...nextLines(plan)],
    };
  await confirm(
    [
      `OpenClaw ${found.release} in ${found.root}`,
      ...(because === undefined ? [] : [`  its files are not changed, because ${because}`]),
      "setup will:",
      ...parts.flatMap(({ lines: [first = "", ...more] }, index) => [
        `  ${index + 1}. ${first}`,
        ...more.map((line) => `     ${line.trimStart()}`),
      ]),
    ],
    "Do this?",
    options,
  );
  const warnings = await doParts(plan, options);
  return {
    data: { ...data, action: "set-up" },
    lines: ["done.", ...nextLines(plan), `  undo: ${ownCommand("setup", { options: ["--undo"] })}`],
    warnings,
  };
}

/** Does the parts in order. When one fails, the parts of this run are undone, and its error is thrown. */
async function doParts(plan: SetupPlan, options: SetupOptions): Promise<readonly string[]> {
  const { root } = plan.found;
  const before = readSetup();
  const had = before?.root === root ? before.parts : [];
  const begun: Part[] = [];
  const warnings: string[] = [];
  for (const planned of plan.parts) {
    begun.push(planned.part);
    writeSetup({ root, parts: [...new Set([...had, ...begun])] });
    try {
      warnings.push(...(await doPart(planned, plan, options)));
    } catch (error) {
      const undone = await undoParts(root, begun.toReversed());
      writeSetup({ root, parts: had });
      throw failed(error, undone);
    }
  }
  return warnings;
}

async function doPart({ part }: PlannedPart, plan: SetupPlan, options: SetupOptions): Promise<readonly string[]> {
  const { found, way, service } = plan;
  const tell = (lines: readonly string[]): void => {
    if (options.json !== true && options.quiet !== true) say(lines);
  };
  if (part === "service") {
    const { file } = installService(service!, lastingHookUrl());
    tell([`the service starts OpenClaw patched in memory from its next start on (${file})`]);
    return [];
  }
  if (part === "patch") tell(["patching, then proving (about a minute) ..."]);
  const outcome =
    part === "patch"
      ? await applyOutcome({ path: found.root, prove: true, quiet: true })
      : await installOutcome(pluginOptions(options, found.root, way));
  if ((outcome.exit ?? EXIT.ok) !== EXIT.ok) {
    const { message } = outcome.data;
    throw setupError("incomplete", {
      expected: "a patched OpenClaw that passes the proof",
      found: typeof message === "string" ? message : "none",
      todo: "",
    });
  }
  tell(outcome.lines);
  return outcome.warnings ?? [];
}

function failed(error: unknown, undone: readonly string[]): Error {
  if (!(error instanceof CodedError)) return error instanceof Error ? error : new Error(reasonOf(error));
  const end = undone.length === 0 ? "All changes of this run were undone." : undone.join(" ");
  return setupError("incomplete", { expected: "every part of the setup to succeed", found: error.message, todo: end });
}

/** What is left for the person to do. */
function nextLines({ way, service, parts }: SetupPlan): readonly string[] {
  if (way === "register" && service === undefined)
    return [
      `  start the gateway with: ${ownCommand("run")} -- openclaw gateway`,
      "  or set NODE_OPTIONS to --import=openclaw-integrity/register where it is started",
    ];
  return parts.length === 0 ? [] : ["  restart the gateway, which keeps what it has loaded: openclaw gateway restart"];
}
