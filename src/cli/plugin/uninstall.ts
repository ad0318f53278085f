import { rmSync } from "node:fs";
import { findInstallation } from "../../patching/index.ts";
import { ConfigDraft, isObject } from "./config-file.ts";
import { showAndAsk } from "./consent.ts";
import { checkHome, checkWritable, configFile } from "./config-place.ts";
import { copiedPlugin, PLUGIN_ID } from "./folder.ts";
import { gatewayLine } from "./next.ts";
import { detectAbilities, uninstallByOpenClaw } from "./openclaw.ts";
import { readPluginRecord, removePluginRecord, type PluginRecord } from "./record.ts";
import { dataOfSteps, formatStep, undoChanges } from "./steps.ts";
import { runAsking } from "../question.ts";
import type { CommonOptions, Outcome } from "../run.ts";

interface UninstallOptions extends CommonOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/**
 * `openclaw-integrity plugin uninstall`: undoes what install changed. Other settings stay, apart from what was added to
 * the plugin's own entry since.
 */
export async function uninstallPluginCommand(options: UninstallOptions): Promise<void> {
  await runAsking(options, () => uninstallOutcome(options));
}

/**
 * Uninstalls the plugin, after asking where a person can be asked. Rejects with a PluginError; with a PatchError where
 * no OpenClaw is found; and as {@link showAndAsk} does where the person declines.
 */
export async function uninstallOutcome(options: UninstallOptions): Promise<Outcome> {
  checkHome();
  const record = readPluginRecord();
  if (record === undefined) return notInstalled();
  const { root, release } = findInstallation(options);
  const draft = new ConfigDraft(record.configFile);
  const back = undoChanges(draft, record);
  const lines = [
    ...back.map((step) => formatStep(step, draft.file)),
    ...(isInstalledCopy(record) ? [`  files: ${record.folder} removed`] : []),
    ...(record.isRecorded ? ["  OpenClaw's own record of the installation removed"] : []),
  ];
  const shown = [`Uninstalling the plugin ${PLUGIN_ID} from OpenClaw ${release} changes, in ${draft.file}:`, ...lines];
  const data = {
    root,
    release,
    way: record.way,
    folder: record.folder,
    configFile: draft.file,
    changes: dataOfSteps(back),
  };
  if (options.dryRun)
    return { data: { ...data, action: "would-uninstall" }, lines: [...shown, "  nothing was changed"] };
  checkWritable();
  await showAndAsk(shown, "Uninstall it?", options);
  const warnings = doUninstall(root, record);
  return {
    data: { ...data, action: "uninstalled" },
    lines: ["uninstalled; journal, archives and sessions are unchanged", gatewayLine(draft, detectAbilities(root))],
    warnings,
  };
}

function doUninstall(root: string, record: PluginRecord): readonly string[] {
  const left = record.isRecorded ? uninstallByOpenClaw(root) : undefined;
  const draft = new ConfigDraft(record.configFile);
  undoChanges(draft, record);
  draft.save();
  const config = draft.get([]);
  if (record.isNewConfig && isObject(config) && Object.keys(config).length === 0) rmSync(draft.file, { force: true });
  if (isInstalledCopy(record)) rmSync(record.folder, { recursive: true, force: true });
  removePluginRecord();
  return [
    ...(left === undefined ? [] : [`OpenClaw's own record of the installation is still there: ${left}`]),
    ...(record.way === "copy" && !isInstalledCopy(record)
      ? [`${record.folder} was not removed: the copy of this state directory is expected in ${copiedPlugin()}`]
      : []),
  ];
}

/**
 * Returns whether the recorded folder is the copy that install makes. The record could name any folder; no other one is
 * removed.
 */
function isInstalledCopy({ way, folder }: PluginRecord): boolean {
  return way === "copy" && folder === copiedPlugin();
}

/**
 * The outcome where this command installed nothing. A plugin that another command installed is left to that command.
 */
function notInstalled(): Outcome {
  const draft = new ConfigDraft(configFile());
  const isNamed = draft.get(["plugins", "entries", PLUGIN_ID]) !== undefined;
  return {
    data: { action: "already", configFile: draft.file },
    lines: [`the plugin ${PLUGIN_ID} is not installed by openclaw-integrity, nothing to do`],
    warnings: isNamed
      ? [
          `plugins.entries.${PLUGIN_ID} in ${draft.file} was not written by openclaw-integrity; openclaw ` +
            `plugins uninstall ${PLUGIN_ID} removes what OpenClaw's own command installed`,
        ]
      : [],
  };
}
