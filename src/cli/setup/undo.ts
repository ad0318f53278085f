/** `openclaw-integrity setup --undo`. */
import { existsSync, realpathSync } from "node:fs";
import { CodedError, describeError } from "../../base/coded-error.ts";
import { RESTART } from "../../doctor/index.ts";
import { findInstallation, PatchError, status } from "../../patching/index.ts";
import { findService, isHooked, RegisterError, removeService } from "../../register/index.ts";
import { revertOutcome } from "../patch/revert.ts";
import { checkHome } from "../plugin/config-place.ts";
import { readPluginRecord } from "../plugin/record.ts";
import { uninstallOutcome } from "../plugin/uninstall.ts";
import { leftLines, removeLeft } from "../rehearsal-place.ts";
import { EXIT, type Outcome } from "../run.ts";
import { alone, assertUnchanged } from "./alone.ts";
import { confirm } from "./confirm.ts";
import { setupError } from "./errors.ts";
import { nextCommands } from "./next.ts";
import type { SetupOptions } from "./plan.ts";
import { readSetup, writeSetup, type Part, type SetupRecord } from "./record.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

const WORDS: Readonly<Record<Part, string>> = {
  patch: "revert the patch: OpenClaw's files are as published again, byte for byte",
  service: "let the service start OpenClaw as it is on the disk",
  plugin: "uninstall the plugin clawos-l0, and undo its changes of OpenClaw's config",
};

const STAYS: Readonly<Record<Part, string>> = {
  patch: "the patch, so that OpenClaw is still patched",
  service: "the hook in the service, so that OpenClaw is still patched when it starts",
  plugin: "the plugin clawos-l0",
};

/** What {@link undoParts} did. */
interface Undone {
  /** What could not be undone, in sentences. */
  readonly problems: readonly string[];
  /** Commands that make what runs already use it. */
  readonly next: readonly string[];
}

/** Undoes what setup has done, and nothing else; journal, archives and sessions stay. */
export async function undoOutcome(options: SetupOptions): Promise<Outcome> {
  checkHome();
  const outcome = await undoSetup(options);
  return { ...outcome, lines: [...outcome.lines, ...(options.dryRun === true ? leftLines() : removeLeft())] };
}

async function undoSetup(options: SetupOptions): Promise<Outcome> {
  const record = readSetup();
  if (record !== undefined) checkIsMeant(record, options);
  const parts = record?.parts.filter((part) => isThere(record.root, part)).toReversed() ?? [];
  if (record === undefined || parts.length === 0) return nothingToUndo(record, options);
  const shown = [
    `Undoing the setup of OpenClaw in ${record.root} will:`,
    ...parts.map((part, index) => `  ${index + 1}. ${WORDS[part]}`),
    ...stayLines(record),
  ];
  if (options.dryRun === true)
    return {
      data: { action: "would-undo", root: record.root, parts },
      lines: [...shown, "  nothing was changed"],
    };
  await confirm(shown, "Undo it?", options);
  const { problems, next } = await alone(() => {
    assertUnchanged(record);
    return undoParts(record.root, parts, (left) => writeSetup({ root: record.root, parts: left }));
  });
  return {
    data: { action: problems.length === 0 ? "undone" : "incomplete", root: record.root, parts, problems, next },
    lines:
      problems.length === 0
        ? ["undone; journal, archives and sessions are unchanged", ...stayLines(record), ...nextCommands(next)]
        : nextCommands(next),
    warnings: problems,
    ...(problems.length > 0 && { exit: EXIT.refused }),
  };
}

/** What other commands had done to this OpenClaw before setup: it stays, and a person may take it for undone. */
function stayLines({ root, parts }: SetupRecord): readonly string[] {
  const commands = { patch: "revert", plugin: "plugin uninstall", service: "service remove" } as const;
  return (["patch", "plugin", "service"] as const)
    .filter((part) => !parts.includes(part) && isSurelyThere(root, part))
    .flatMap((part) => [
      `  stays, because it was there before setup: ${STAYS[part]}. To remove it:`,
      `    ${ownCommand(commands[part], { path: root })}`,
    ]);
}

function nothingToUndo(record: SetupRecord | undefined, { dryRun = false }: SetupOptions): Outcome {
  // Other commands have undone all of it.
  if (record !== undefined && !dryRun) writeSetup({ root: record.root, parts: [] });
  const others = (["revert", "plugin uninstall", "service remove"] as const).map((command) => ownCommand(command));
  return {
    data: { action: "already" },
    lines: [
      record === undefined
        ? "setup has changed nothing here, nothing to undo"
        : `what setup did to OpenClaw in ${record.root} is undone already, nothing to do`,
      "what other commands did is undone by:",
      ...others.map((command) => `  ${command}`),
    ],
  };
}

/** Throws `set-up-elsewhere` where the options name another OpenClaw than the one that was set up. */
function checkIsMeant({ root, parts }: SetupRecord, options: SetupOptions): void {
  const { path, global = false } = options;
  if (path === undefined && !global) return;
  // An OpenClaw that was uninstalled is named by its folder.
  if (path !== undefined && (path === root || (existsSync(path) && realpathSync(path) === root))) return;
  const named = findInstallation(options).root;
  if (named === root) return;
  throw setupError("set-up-elsewhere", {
    expected: `setup to have set up the OpenClaw in ${named}`,
    found: `that it has set up the one in ${root} (${parts.join(", ")})`,
    todo: `To undo that: ${ownCommand("setup", { path: root, options: ["--undo"] })}. Nothing was changed.`,
  });
}

/** Whether there is anything of a part left to undo. What cannot be looked at is taken for there. */
function isThere(root: string, part: Part): boolean {
  try {
    return look(root, part);
  } catch (error) {
    if (error instanceof RegisterError && error.code === "service-missing") return false;
    if (error instanceof PatchError || error instanceof CodedError) return true;
    throw error;
  }
}

function look(root: string, part: Part): boolean {
  // An OpenClaw that was uninstalled has taken the patch along.
  if (part === "patch") return existsSync(root) && status(root).state !== "stock";
  if (part === "plugin") return readPluginRecord() !== undefined;
  return isHooked(findService({}, process.env));
}

function isSurelyThere(root: string, part: Part): boolean {
  try {
    return look(root, part);
  } catch {
    return false;
  }
}

/** Whether all that setup has begun here is there; true where it has begun nothing, or where that is unknown. */
export function isSetupWhole(): boolean {
  try {
    const record = readSetup();
    return record === undefined || record.parts.every((part) => isThere(record.root, part));
  } catch {
    return true;
  }
}

/** Undoes parts in the given order, each as far as it was done. */
export async function undoParts(
  root: string,
  parts: readonly Part[],
  onLeft: (left: readonly Part[]) => void = () => undefined,
): Promise<Undone> {
  const left = new Set(parts);
  const problems: string[] = [];
  const next = new Set<string>();
  for (const part of parts) {
    try {
      for (const command of await undoPart(root, part)) next.add(command);
      left.delete(part);
      onLeft([...left].toReversed());
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      problems.push(`Not undone (${part}): ${describeError(error)}`);
    }
  }
  if (next.size > 1) next.delete(RESTART);
  return { problems, next: [...next] };
}

/** Returns the commands that a running gateway needs after it. */
async function undoPart(root: string, part: Part): Promise<readonly string[]> {
  // An OpenClaw that was uninstalled has taken the patch and the plugin's entry along.
  if (part === "patch" && existsSync(root)) {
    revertOutcome({ path: root });
    return [RESTART];
  }
  if (part === "plugin") await uninstallOutcome({ path: root, yes: true, quiet: true });
  return part === "service" ? removeService(findService({}, process.env)).next : [];
}
