import { findInstallation } from "../../patching/index.ts";
import { ConfigDraft } from "./config-file.ts";
import { configFile } from "./config-place.ts";
import { bundledPlugin, holdSame, packagedPlugin, PLUGIN_ID, pluginVersion } from "./folder.ts";
import { detectAbilities, askOpenClaw } from "./openclaw.ts";
import { readPluginRecord } from "./record.ts";
import { reportedOn } from "./reported.ts";
import { EXIT, run, type CommonOptions } from "../run.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/**
 * `openclaw-integrity plugin status`: exit code 0 when the plugin is loaded, 3 when not, 1 when OpenClaw is not found
 * or does not answer, or its config cannot be read.
 */
export function pluginStatusCommand(options: CommonOptions): void {
  run(options, () => {
    const { root, release } = findInstallation(options);
    const record = readPluginRecord();
    const draft = new ConfigDraft(configFile());
    const { file } = draft;
    const report = askOpenClaw(root, detectAbilities(root));
    const { isLoaded, status, folder, diagnostics } = report;
    const reported = reportedOn(report, draft);
    const way = record?.way ?? (folder !== undefined && folder === bundledPlugin(root) ? "bundled" : undefined);
    const isOutdated = record?.way === "copy" && !holdSame(packagedPlugin(), record.folder);
    const by =
      way === "bundled"
        ? "it came with this OpenClaw"
        : way === undefined
          ? "not installed by openclaw-integrity"
          : `installed as a ${way}`;
    const words = isLoaded
      ? `OpenClaw ${release} loads ${PLUGIN_ID} ${folder === undefined ? "" : pluginVersion(folder)} ` +
        `from ${folder} (${by})`
      : `OpenClaw ${release} does not load ${PLUGIN_ID} (${status ?? "it does not find it"}; ${by})`;
    return {
      data: {
        root,
        release,
        configFile: file,
        loaded: isLoaded,
        status,
        folder,
        way,
        outdated: isOutdated,
        diagnostics,
      },
      lines: [
        words,
        `  config: ${file}`,
        ...reported.lines,
        ...(isLoaded ? [] : [`  run: ${ownCommand("plugin install")}`]),
      ],
      warnings: [
        ...reported.warnings,
        ...(isOutdated
          ? [`the copy differs from this version of openclaw-integrity; run: ${ownCommand("plugin install")}`]
          : []),
      ],
      exit: isLoaded ? EXIT.ok : EXIT.no,
    };
  });
}
