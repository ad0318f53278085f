/** `openclaw-integrity plugin …`: puts the plugin `clawos-l0` into OpenClaw and takes it out again. Issue 6, item 6. */
import { Option, type Command } from "commander";
import { installPluginCommand } from "./install.ts";
import { pluginStatusCommand } from "./status.ts";
import { uninstallPluginCommand } from "./uninstall.ts";

/** Adds the command `plugin` and those below it. Issue 6, item 6. */
export function addPluginCommands(program: Command, withCommonOptions: (command: Command) => Command): void {
  const plugin = program
    .command("plugin")
    .description("the plugin clawos-l0, which shows what the patch does: install, uninstall, status");
  withCommonOptions(
    plugin
      .command("install")
      .description(
        "put the plugin into OpenClaw: shows the config change, makes it, and lets OpenClaw load it; twice is a no-op",
      ),
  )
    .addOption(new Option("--copy", "copy its files into OpenClaw's state directory").conflicts("link"))
    .option("--link", "let OpenClaw load them from this package")
    .option(
      "--time-travel",
      "let agents go back to an earlier place of their own history: 2 tools, some 400 tokens in every request",
    )
    .option(
      "--continuity",
      "let agents record unfinished work and go on with it: 13 tools, some 2,500 tokens in every request",
    )
    .option("--dry-run", "show what would be changed, and change nothing")
    .option("--yes", "do not ask")
    .action(installPluginCommand);
  withCommonOptions(
    plugin.command("uninstall").description("take back what install changed, and nothing else; twice is a no-op"),
  )
    .option("--dry-run", "show what would be changed, and change nothing")
    .option("--yes", "do not ask")
    .action(uninstallPluginCommand);
  withCommonOptions(
    plugin.command("status").description("let OpenClaw say whether it loads the plugin, and from where"),
  ).action(pluginStatusCommand);
}
