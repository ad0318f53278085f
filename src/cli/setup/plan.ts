/** What `setup` has to do on this machine, found out without changing anything. */
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { findInstallation, readRecord, status, type Found, type Report } from "../../patching/index.ts";
import { findService, RegisterError, findSetup, type ServiceFile } from "../../register/index.ts";
import { checkHome } from "../plugin/config-place.ts";
import { plannedInstall } from "../plugin/install.ts";
import type { CommonOptions } from "../run.ts";
import { readSetup, type Part } from "./record.ts";
import { byHandLines, type Starts } from "./starts.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** Options of setup. */
export interface SetupOptions extends CommonOptions {
  readonly yes?: boolean;
  readonly undo?: boolean;
  readonly dryRun?: boolean;
  /** How OpenClaw is patched; by default its files where they can be written, otherwise in memory. */
  readonly way?: "files" | "register";
  /** False with --no-plugin. */
  readonly plugin?: boolean;
  readonly continuity?: boolean;
  readonly timeTravel?: boolean;
  readonly rehearse?: string;
  /** Only with --rehearse. */
  readonly sessions?: string;
  readonly switch?: boolean;
}

/** One part that is to be done, in words for the person who is asked. */
export interface PlannedPart {
  readonly part: Part;
  readonly lines: readonly string[];
}

/** The plan of a setup. */
export interface SetupPlan {
  readonly found: Found;
  readonly way: "files" | "register";
  readonly parts: readonly PlannedPart[];
  /** What is to be known besides the parts: why this way, and what it does not do. */
  readonly notes: readonly string[];
  /** How the next start of the gateway is patched when the parts are done. */
  readonly starts: Starts;
  /** The service that starts the gateway; only with the way `register`. */
  readonly service: ServiceFile | undefined;
  /** The size of the plugin's copy, 0 when none is made; undefined where the plugin is left alone. */
  readonly bytesOfPlugin: number | undefined;
}

/**
 * Finds OpenClaw (that of the project around the current folder, otherwise the one of the machine) and what it lacks.
 * Throws what the parts would throw: an OpenClaw that cannot be patched, a config that denies the plugin.
 */
export function planSetup(options: SetupOptions): SetupPlan {
  checkHome();
  const found = findInstallation(options);
  const { root, release } = found;
  const report = status(root);
  const readOnly = unwritable(root);
  const way = options.way ?? (readOnly === undefined ? "files" : "register");
  const isMarked = report.state === "patched" || report.state === "outdated";
  const service = way === "register" ? findOwnService() : undefined;
  const setup = findSetup(root, found.places);
  const isHooked = setup.services.some(({ isGone }) => !isGone);
  const parts: PlannedPart[] = [];
  if (way === "files") parts.push(...patchPart(root, release, report));
  else if (service !== undefined && !isHooked)
    parts.push({ part: "service", lines: [`let the service ${service.name} start OpenClaw patched in memory`] });
  const planned = options.plugin === false ? undefined : plannedInstall(pluginOptions(options, root, way));
  if (planned !== undefined) parts.push({ part: "plugin", lines: [planned.order, ...planned.lines] });
  const starts = startsBy(way, { isMarked, isServed: service !== undefined || isHooked, isInShell: setup.isInShell });
  const notes = listNotes({
    isMarked,
    isOutdated: report.state === "outdated",
    isAsked: options.way === "register",
    readOnly,
    way,
    starts,
  });
  return { found, way, parts, notes, starts, service, bytesOfPlugin: planned?.bytes };
}

function startsBy(
  way: SetupPlan["way"],
  { isMarked, isServed, isInShell }: Readonly<Record<"isMarked" | "isServed" | "isInShell", boolean>>,
): Starts {
  if (way === "files" || isMarked) return "files";
  return isServed ? "service" : isInShell ? "shell" : "by-hand";
}

/** Why the files are not changed, and what a person has to do where setup cannot. */
function listNotes({
  isMarked,
  isOutdated,
  isAsked,
  readOnly,
  way,
  starts,
}: Pick<SetupPlan, "way" | "starts"> & {
  readonly isMarked: boolean;
  readonly isOutdated: boolean;
  readonly isAsked: boolean;
  readonly readOnly: string | undefined;
}): readonly string[] {
  if (way === "files") return [];
  if (isMarked) {
    const instead = isAsked ? `; to have it patched in memory alone, run: ${ownCommand("revert")}` : "";
    const by = isOutdated ? " (by another version of openclaw-integrity)" : "";
    return [`its files are patched already${by}, and stay so${instead}`];
  }
  return [
    ...(isAsked || readOnly === undefined ? [] : [`its files are not changed, because ${readOnly}`]),
    ...(starts === "by-hand" ? byHandLines() : []),
  ];
}

/** The options of `plugin install` in a setup. */
export function pluginOptions(
  { continuity, timeTravel }: SetupOptions,
  root: string,
  way: SetupPlan["way"],
): Parameters<typeof plannedInstall>[0] {
  return {
    path: root,
    yes: true,
    quiet: true,
    isPart: true,
    keepPatched: way === "files",
    ...(continuity !== undefined && { continuity }),
    ...(timeTravel !== undefined && { timeTravel }),
  };
}

function patchPart(root: string, release: string, { state, files }: Report): readonly PlannedPart[] {
  // A patch whose proof is due is part of the setup that was killed.
  const isUnproved = readRecord().some((entry) => entry.root === root && entry.proof === "pending");
  const earlier = readSetup();
  const isBegun = earlier?.root === root && earlier.parts.includes("patch");
  if (state === "patched" && !(isUnproved && isBegun)) return [];
  return [
    {
      part: "patch",
      lines: [
        `patch OpenClaw ${release}: ${files.length} files in ${root}`,
        `(every byte is restored by: ${ownCommand("setup", { options: ["--undo"] })})`,
        "prove the patch with corrupt sessions in a temporary directory (one to two minutes), " +
          "and revert it if that fails",
      ],
    },
  ];
}

function unwritable(root: string): string | undefined {
  try {
    for (const folder of [root, join(root, "dist")]) accessSync(folder, constants.W_OK);
    return undefined;
  } catch {
    return `this user cannot write to ${root}`;
  }
}

function findOwnService(): ServiceFile | undefined {
  try {
    return findService({}, process.env);
  } catch (error) {
    if (error instanceof RegisterError) return undefined;
    throw error;
  }
}
