/** `openclaw-integrity plugin install`. */
import { existsSync, rmSync } from "node:fs";
import { findInstallation, type Found } from "../../patching/index.ts";
import { ConfigDraft } from "./config-file.ts";
import { showAndAsk } from "./consent.ts";
import { checkHome, checkWritable, configFile } from "./config-place.ts";
import { pluginError } from "./errors.ts";
import {
  bundledPlugin,
  copiedPlugin,
  copyFolder,
  holdSame,
  isEnabledByDefault,
  packagedPlugin,
  PLUGIN_ID,
  folderSize,
  unfitForLink,
  pluginVersion,
} from "./folder.ts";
import {
  detectAbilities,
  installByOpenClaw,
  askOpenClaw,
  uninstallByOpenClaw,
  type Abilities,
  type PluginReport,
} from "./openclaw.ts";
import { gatewayLine, ownerLine } from "./next.ts";
import { explainStep, WHAT_IT_IS } from "./meaning.ts";
import { reportedOn } from "./reported.ts";
import {
  joined,
  readPluginRecord,
  removePluginRecord,
  writePluginRecord,
  type PluginRecord,
  type Step,
  type Way,
} from "./record.ts";
import { changeConfig, dataOfSteps, formatStep, type Wanted } from "./steps.ts";
import { runAsking } from "../question.ts";
import type { CommonOptions, Outcome } from "../run.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

export interface InstallOptions extends CommonOptions {
  readonly copy?: boolean;
  readonly link?: boolean;
  readonly continuity?: boolean;
  readonly timeTravel?: boolean;
  readonly files?: boolean;
  readonly keepPatched?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  /** Another command installs it and undoes that too: the outcome does not name plugin uninstall. */
  readonly isPart?: boolean;
}

interface Choice {
  readonly way: Way;
  /** The folder that OpenClaw loads. */
  readonly folder: string;
  readonly because: string;
}

/** The planned installation, before anything is changed. */
interface Install {
  readonly found: Found;
  readonly abilities: Abilities;
  readonly choice: Choice;
  readonly wanted: Wanted;
  readonly draft: ConfigDraft;
  readonly earlier: PluginRecord | undefined;
  readonly steps: readonly Step[];
  readonly record: PluginRecord;
  readonly copies: boolean;
  /** OpenClaw's own command is used, which records the installation and the user's consent. */
  readonly isByOpenClaw: boolean;
}

/**
 * `openclaw-integrity plugin install`: shows the changes, makes them, and asks OpenClaw whether it loads the plugin.
 */
export async function installPluginCommand(options: InstallOptions): Promise<void> {
  await runAsking(options, () => installOutcome(options));
}

/**
 * What an installation would do, as an order and the changes of the config and files; undefined when all of it is there
 * already. Throws what the installation would throw before it changes anything.
 */
export function plannedInstall(
  options: InstallOptions,
): { readonly order: string; readonly lines: readonly string[]; readonly bytes: number } | undefined {
  const install = planInstall(options);
  const lines = installLines(install);
  if (lines.length === 0) return undefined;
  checkWritable();
  const { file } = install.draft;
  const order = isAboutSettings(install)
    ? `change the plugin's settings in ${file}:`
    : `install the plugin ${PLUGIN_ID}, which changes ${file}:`;
  const bytes = install.copies ? folderSize(packagedPlugin()) : 0;
  // A gateway of early releases restarts for it, which nobody may learn afterwards.
  return { order, lines: [...lines, gatewayLine(install.draft, install.abilities)], bytes };
}

/**
 * Installs the plugin, after showing the changes and asking where a person can be asked. Rejects with a PluginError.
 */
export async function installOutcome(options: InstallOptions): Promise<Outcome> {
  const install = planInstall(options);
  const lines = installLines(install);
  const data = toData(install);
  if (lines.length === 0)
    return {
      data: { ...data, action: "already" },
      lines: [
        `the plugin ${PLUGIN_ID} is already installed in OpenClaw ${install.found.release} ` +
          `(${install.choice.way}: ${install.choice.because}), nothing to do`,
      ],
    };
  const { found, draft } = install;
  const isSetting = isAboutSettings(install);
  const doing = isSetting
    ? `Changing the settings of the plugin ${PLUGIN_ID} in OpenClaw ${found.release}`
    : `Installing the plugin ${PLUGIN_ID} in OpenClaw ${found.release}`;
  const shown = [`${doing} changes, in ${draft.file}:`, ...lines, gatewayLine(draft, install.abilities)];
  if (options.dryRun) return { data: { ...data, action: "would-install" }, lines: [...shown, "  nothing was changed"] };
  checkWritable();
  await showAndAsk(shown, isSetting ? "Change them?" : "Install it?", options);
  return toOutcome(install, doInstall(install), data, options);
}

function planInstall(options: InstallOptions): Install {
  checkHome();
  const found = findInstallation(options);
  const abilities = detectAbilities(found.root);
  const choice = choose(found.root, abilities, options);
  const earlier = readPluginRecord();
  const draft = new ConfigDraft(configFile());
  const isBundled = choice.way === "bundled";
  const wanted = {
    folder: isBundled ? undefined : choice.folder,
    formerly: earlier?.folder,
    enables: !isBundled || !isEnabledByDefault(choice.folder),
    // OpenClaw lets bundled plugins read conversations anyway.
    grantsConversations: abilities.conversationAccess && !isBundled,
    continuity: options.continuity ?? false,
    timeTravel: options.timeTravel ?? options.files ?? false,
    files: options.files ?? false,
    keepPatched: options.keepPatched ?? false,
  };
  const isByOpenClaw =
    abilities.keepsConsent &&
    !isBundled &&
    earlier?.folder !== choice.folder &&
    (draft.isOpenClaws || draft.get(["security", "installPolicy"]) !== undefined);
  const changes = changeConfig(draft, wanted);
  const copies = choice.way === "copy" && !holdSame(packagedPlugin(), choice.folder);
  const isNewConfig = earlier?.isNewConfig ?? draft.isNew;
  const isRecorded = isByOpenClaw || (earlier?.isRecorded ?? false);
  const record = {
    configFile: draft.file,
    isNewConfig,
    way: choice.way,
    folder: choice.folder,
    isRecorded,
    ...joined(earlier, changes),
  };
  return { found, abilities, choice, wanted, draft, earlier, steps: changes.steps, record, copies, isByOpenClaw };
}

/** Chooses between a link, which follows updates of this package, and a copy, which is independent of it. */
function choose(root: string, { sparesMissing }: Abilities, { copy = false, link = false }: InstallOptions): Choice {
  const bundled = bundledPlugin(root);
  if (bundled !== undefined && !copy && !link)
    return { way: "bundled", folder: bundled, because: "this OpenClaw contains it" };
  const folder = packagedPlugin();
  const against = copy
    ? "--copy says so"
    : link
      ? undefined
      : (unfitForLink(folder) ??
        (sparesMissing ? undefined : "this OpenClaw does not start once a linked folder is gone"));
  return against === undefined
    ? { way: "link", folder, because: "it follows updates of openclaw-integrity" }
    : { way: "copy", folder: copiedPlugin(), because: against };
}

/** Whether OpenClaw loads the plugin already, and only what it may do changes. */
function isAboutSettings({ steps, copies, isByOpenClaw }: Install): boolean {
  return !copies && !isByOpenClaw && steps.length > 0 && steps.every(({ key }) => key.includes("config"));
}

function installLines(install: Install): readonly string[] {
  const { draft, steps, choice, copies, isByOpenClaw } = install;
  if (steps.length === 0 && !copies && !isByOpenClaw) return [];
  return [
    ...(isAboutSettings(install) ? [] : [`  (${WHAT_IT_IS})`]),
    ...(copies ? [`  files: ${packagedPlugin()} copied to ${choice.folder}, because ${choice.because}`] : []),
    ...steps.flatMap((step) => {
      const meaning = explainStep(step);
      return [formatStep(step, draft.file), ...(meaning === undefined ? [] : [`    ${meaning}`])];
    }),
    ...(isByOpenClaw
      ? [
          "  and OpenClaw records the installation, with your consent to what the plugin declares (commands, " +
            "hooks, and tools for unfinished work, which are off unless the config turns them on; no channels)",
        ]
      : []),
  ];
}

/** Installs the plugin, or undoes all changes and throws. */
function doInstall(install: Install): PluginReport {
  const { found, abilities, choice, draft, earlier, copies } = install;
  if (copies) copyFolder(packagedPlugin(), choice.folder);
  try {
    const record = write(install);
    const report = askOpenClaw(found.root, abilities);
    if (report.isLoaded) return report;
    if (record.isRecorded && earlier === undefined) uninstallByOpenClaw(found.root);
    throw pluginError("openclaw-refused", {
      expected: `OpenClaw ${found.release} to load the plugin from ${choice.folder}`,
      found: [report.status ?? "that it does not find it", ...report.diagnostics].join(": "),
      todo: "All changes were undone. Correct what OpenClaw reports, then run the command again.",
    });
  } catch (error) {
    draft.restore();
    if (earlier !== undefined) writePluginRecord(earlier);
    else {
      removePluginRecord();
      if (choice.way === "copy") rmSync(choice.folder, { recursive: true, force: true });
    }
    throw error;
  }
}

/**
 * Writes the record of the changes first, so that they can be undone, then the config, with OpenClaw's own command
 * where possible.
 */
function write({ found, choice, wanted, draft, record, isByOpenClaw }: Install): PluginRecord {
  writePluginRecord(record);
  if (!isByOpenClaw) return (draft.save(), record);
  const refused = installByOpenClaw(found.root, choice.folder);
  if (refused !== undefined && draft.get(["security", "installPolicy"]) !== undefined) {
    throw pluginError("openclaw-refused", {
      expected: `OpenClaw ${found.release} to install the plugin from ${choice.folder}`,
      found: refused,
      todo: "OpenClaw's config has a policy on installations (security.installPolicy); nothing was changed.",
    });
  }
  const written = refused === undefined ? record : { ...record, isRecorded: false };
  if (refused !== undefined) writePluginRecord(written);
  const rest = new ConfigDraft(draft.file);
  changeConfig(rest, wanted);
  rest.save();
  return written;
}

function toOutcome(
  { choice, draft, earlier, found, abilities }: Install,
  report: PluginReport,
  data: Outcome["data"],
  { isPart = false }: InstallOptions,
): Outcome {
  const { diagnostics, folder } = report;
  const { lines, warnings } = reportedOn(report, draft);
  return {
    data: { ...data, action: earlier === undefined ? "installed" : "updated", loadedFrom: folder, diagnostics },
    lines: [
      `installed: OpenClaw ${found.release} loads clawos-l0 ${pluginVersion(choice.folder)} ` +
        `from ${folder ?? choice.folder}`,
      ...lines,
      gatewayLine(draft, abilities),
      ownerLine(draft, found.release),
      ...(isPart ? [] : [`  uninstall: ${ownCommand("plugin uninstall")}`]),
    ],
    warnings,
  };
}

function toData({ found, choice, draft, steps, copies }: Install): Outcome["data"] {
  const changes = dataOfSteps(steps);
  return {
    root: found.root,
    release: found.release,
    way: choice.way,
    because: choice.because,
    folder: choice.folder,
    configFile: draft.file,
    copies,
    changes,
    ...(existsSync(choice.folder) && { version: pluginVersion(choice.folder) }),
  };
}
