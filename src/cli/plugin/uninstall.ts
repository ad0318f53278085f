/** `openclaw-integrity plugin uninstall`. Issue 6, item 6. */
import { rmSync } from "node:fs";
import { findInstallation } from "../../patching/index.ts";
import { ConfigDraft, isObject } from "./config-file.ts";
import { showAndAsk } from "./consent.ts";
import { checkWritable, configFile } from "./config-place.ts";
import { copiedPlugin, PLUGIN_ID } from "./folder.ts";
import { gatewayLine } from "./install.ts";
import { uninstallByOpenClaw } from "./openclaw.ts";
import { readPluginRecord, removePluginRecord, type PluginRecord } from "./record.ts";
import { dataOfSteps, lineOf, takeBack } from "./steps.ts";
import { runAsync, type CommonOptions, type Outcome } from "../run.ts";

interface UninstallOptions extends CommonOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** `openclaw-integrity plugin uninstall`: takes back what install changed, and nothing else. Issue 6, item 6. */
export async function uninstallPluginCommand(options: UninstallOptions): Promise<void> {
  await runAsync(options, async () => {
    const record = readPluginRecord();
    if (record === undefined) return notInstalled();
    const { root, release } = findInstallation(options);
    const draft = new ConfigDraft(record.configFile);
    const back = takeBack(draft, record);
    const lines = [
      ...back.map((step) => lineOf(step, draft.file)),
      ...(isOurCopy(record) ? [`  files: ${record.folder} removed`] : []),
      ...(record.isRecorded ? ["  OpenClaw's own record of the installation removed"] : []),
    ];
    const shown = [`Taking the plugin ${PLUGIN_ID} out of OpenClaw ${release} changes, in ${draft.file}:`, ...lines];
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
    await showAndAsk(shown, "Take it out?", options);
    const warnings = doUninstall(root, record);
    return {
      data: { ...data, action: "uninstalled" },
      lines: ["uninstalled; journal, archives and sessions are as they were", gatewayLine(draft)],
      warnings,
    };
  });
}

function doUninstall(root: string, record: PluginRecord): readonly string[] {
  const left = record.isRecorded ? uninstallByOpenClaw(root) : undefined;
  const draft = new ConfigDraft(record.configFile);
  takeBack(draft, record);
  draft.save();
  const config = draft.get([]);
  if (record.isNewConfig && isObject(config) && Object.keys(config).length === 0) rmSync(draft.file, { force: true });
  if (isOurCopy(record)) rmSync(record.folder, { recursive: true, force: true });
  removePluginRecord();
  return [
    ...(left === undefined ? [] : [`OpenClaw's own record of the installation is still there: ${left}`]),
    ...(record.way === "copy" && !isOurCopy(record)
      ? [`${record.folder} is left as it is: the copy of this state directory would be ${copiedPlugin()}`]
      : []),
  ];
}

/** The record is a file that can say anything: no other folder is removed for it. */
function isOurCopy({ way, folder }: PluginRecord): boolean {
  return way === "copy" && folder === copiedPlugin();
}

/** Nothing of ours is there; what another command wrote about the plugin is that one's to take back. */
function notInstalled(): Outcome {
  const draft = new ConfigDraft(configFile());
  const isNamed = draft.get(["plugins", "entries", PLUGIN_ID]) !== undefined;
  return {
    data: { action: "already", configFile: draft.file },
    lines: [`the plugin ${PLUGIN_ID} is not installed by openclaw-integrity, nothing to do`],
    warnings: isNamed
      ? [
          `plugins.entries.${PLUGIN_ID} in ${draft.file} was written by somebody else; openclaw plugins uninstall ${PLUGIN_ID} takes back what OpenClaw's own command installed`,
        ]
      : [],
  };
}
