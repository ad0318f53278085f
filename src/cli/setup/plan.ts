/** What `setup` has to do on this machine, found out without changing anything. */
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { findInstallation, PatchError, readRecord, status, type Found, type Report } from "../../patching/index.ts";
import { findService, isRegistered, RegisterError, setupOf, type ServiceFile } from "../../register/index.ts";
import { installLines } from "../plugin/install.ts";
import type { CommonOptions } from "../run.ts";
import { readSetup, type Part } from "./record.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** Options of setup. */
export interface SetupOptions extends CommonOptions {
  readonly yes?: boolean;
  readonly undo?: boolean;
  /** How OpenClaw is patched; by default its files where they can be written, otherwise in memory. */
  readonly way?: "files" | "register";
  /** False with --no-plugin. */
  readonly plugin?: boolean;
  readonly continuity?: boolean;
  readonly timeTravel?: boolean;
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
  /** Why it is patched in this way, when the user did not choose. */
  readonly because: string | undefined;
  readonly parts: readonly PlannedPart[];
  /** The service that starts the gateway; only with the way `register`. */
  readonly service: ServiceFile | undefined;
}

/**
 * Finds OpenClaw (that of the project around the current folder, otherwise the one of the machine) and what it lacks.
 * Throws what the parts would throw: an OpenClaw that cannot be patched, a config that denies the plugin.
 */
export function planSetup(options: SetupOptions): SetupPlan {
  const found = findOne(options);
  const { root, release } = found;
  const readOnly = unwritable(root);
  const way = options.way ?? (readOnly === undefined ? "files" : "register");
  const because = options.way === undefined ? readOnly : undefined;
  const service = way === "register" ? serviceOf() : undefined;
  const parts: PlannedPart[] = [];
  if (way === "files") parts.push(...patchPart(root, release, status(root)));
  else if (service !== undefined && !isRegistered(setupOf(root, found.places)))
    parts.push({ part: "service", lines: [`let the service ${service.name} start OpenClaw patched in memory`] });
  if (options.plugin !== false) {
    const lines = installLines(pluginOptions(options, root, way));
    if (lines.length > 0)
      parts.push({ part: "plugin", lines: ["install the plugin clawos-l0, which changes:", ...lines] });
  }
  return { found, way, because, parts, service };
}

/** The options of `plugin install` in a setup. */
export function pluginOptions(
  { continuity, timeTravel }: SetupOptions,
  root: string,
  way: SetupPlan["way"],
): Parameters<typeof installLines>[0] {
  return {
    path: root,
    yes: true,
    quiet: true,
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
        `patch OpenClaw ${release}: ${files.length} files in ${root}; ${ownCommand("setup", { options: ["--undo"] })} restores every byte`,
        "prove the patch with corrupt sessions in a temporary directory (about a minute), and revert it if that fails",
      ],
    },
  ];
}

function findOne(options: SetupOptions): Found {
  if (options.path !== undefined || options.global === true) return findInstallation(options);
  try {
    return findInstallation({});
  } catch (error) {
    if (!(error instanceof PatchError) || error.code !== "openclaw-missing") throw error;
    // Outside of a project the command `openclaw` is meant.
    return findInstallation({ global: true });
  }
}

function unwritable(root: string): string | undefined {
  try {
    for (const folder of [root, join(root, "dist")]) accessSync(folder, constants.W_OK);
    return undefined;
  } catch {
    return `this user cannot write to ${root}`;
  }
}

function serviceOf(): ServiceFile | undefined {
  try {
    return findService({}, process.env);
  } catch (error) {
    if (error instanceof RegisterError) return undefined;
    throw error;
  }
}
