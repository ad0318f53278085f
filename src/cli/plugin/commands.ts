/** `openclaw-integrity plugin …`: installs the plugin `clawos-l0` in OpenClaw and uninstalls it. */
import { Option, type Command } from "commander";
import { TOOLS_COST } from "../../continuity-tools/cost.ts";
import { installPluginCommand } from "./install.ts";
import { pluginStatusCommand } from "./status.ts";
import { uninstallPluginCommand } from "./uninstall.ts";

/** Adds the command `plugin` and its subcommands. */
export function addPluginCommands(program: Command, withCommonOptions: (command: Command) => Command): void {
  const plugin = program
    .command("plugin")
    .description(
      "openclaw-integrity as a plugin of OpenClaw, which knows it as clawos-l0 and its commands in chat as /l0-…: " +
        "install, uninstall, status",
    );
  withCommonOptions(
    plugin
      .command("install")
      .description("install the plugin in OpenClaw: shows the config change first; repeating it is a no-op"),
  )
    .addOption(new Option("--copy", "copy its files into OpenClaw's state directory").conflicts("link"))
    .option("--link", "let OpenClaw load them from this package")
    .option(
      "--time-travel",
      "let agents return to an earlier place of their own history: 2 tools, some 400 tokens in every request",
    )
    .option("--files", "--time-travel, and capture the agents' files, so that a move can bring them back")
    .option(
      "--continuity",
      `let agents record unfinished work and continue it: ${TOOLS_COST.tools} tools, ${TOOLS_COST.tokens} ` +
        "tokens in every request",
    )
    .option("--keep-patched", "let the plugin apply the patch again when an update of OpenClaw has removed it")
    .option("--dry-run", "show what would be changed, and change nothing")
    .option("--yes", "do not ask")
    .action(installPluginCommand);
  withCommonOptions(
    plugin.command("uninstall").description("undo what install changed, and nothing else; repeating it is a no-op"),
  )
    .option("--dry-run", "show what would be changed, and change nothing")
    .option("--yes", "do not ask")
    .action(uninstallPluginCommand);
  withCommonOptions(
    plugin.command("status").description("ask OpenClaw whether it loads the plugin, and from where"),
  ).action(pluginStatusCommand);
}
