/** `openclaw-integrity setup --undo`. */
import { existsSync } from "node:fs";
import { CodedError, reasonOf } from "../../base/coded-error.ts";
import { findService, removeService } from "../../register/index.ts";
import { revertOutcome } from "../patch/revert.ts";
import { uninstallOutcome } from "../plugin/uninstall.ts";
import { EXIT, type Outcome } from "../run.ts";
import { confirm } from "./confirm.ts";
import type { SetupOptions } from "./plan.ts";
import { readSetup, writeSetup, type Part } from "./record.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

const WORDS: Readonly<Record<Part, string>> = {
  patch: "revert the patch: OpenClaw's files are as published again, byte for byte",
  service: "let the service start OpenClaw as it is on the disk",
  plugin: "uninstall the plugin clawos-l0, and undo its changes of OpenClaw's config",
};

/** Undoes what setup has done, and nothing else; journal, archives and sessions stay. */
export async function undoOutcome(options: SetupOptions): Promise<Outcome> {
  const record = readSetup();
  if (record === undefined)
    return {
      data: { action: "already" },
      lines: ["setup has changed nothing here, nothing to undo"],
      warnings: [
        `what other commands did is undone by: ${(["revert", "plugin uninstall", "service remove"] as const).map((command) => ownCommand(command)).join("; ")}`,
      ],
    };
  const parts = record.parts.toReversed();
  await confirm(
    [
      `Undoing the setup of OpenClaw in ${record.root} will:`,
      ...parts.map((part, index) => `  ${index + 1}. ${WORDS[part]}`),
    ],
    "Undo it?",
    options,
  );
  const problems = await undoParts(record.root, parts, (left) => writeSetup({ root: record.root, parts: left }));
  return {
    data: { action: problems.length === 0 ? "undone" : "incomplete", root: record.root, parts, problems },
    lines:
      problems.length === 0
        ? ["undone; journal, archives and sessions are unchanged", "  restart the gateway: openclaw gateway restart"]
        : [],
    warnings: problems,
    ...(problems.length > 0 && { exit: EXIT.refused }),
  };
}

/** Undoes parts in the given order, each as far as it was done. Returns what could not be undone, in sentences. */
export async function undoParts(
  root: string,
  parts: readonly Part[],
  onLeft: (left: readonly Part[]) => void = () => undefined,
): Promise<readonly string[]> {
  const left = new Set(parts);
  const problems: string[] = [];
  for (const part of parts) {
    try {
      await undoPart(root, part);
      left.delete(part);
      onLeft([...left].toReversed());
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      problems.push(`Not undone (${part}): ${reasonOf(error)}`);
    }
  }
  return problems;
}

async function undoPart(root: string, part: Part): Promise<void> {
  // An OpenClaw that was uninstalled has taken the patch and the plugin's entry along.
  if (part === "patch" && existsSync(root)) revertOutcome({ path: root });
  if (part === "plugin") await uninstallOutcome({ path: root, yes: true, quiet: true });
  if (part === "service") removeService(findService({}, process.env));
}
