/** What a person has to know after the plugin was installed or uninstalled. */
import { acceptsOwnerAllowFrom } from "../../store/openclaw/release.ts";
import type { ConfigDraft } from "./config-file.ts";
import type { Abilities } from "./openclaw.ts";

/** Describes who can use the plugin's commands: they answer the owner only, whom OpenClaw's config must name. */
export function ownerLine(draft: ConfigDraft, release: string): string {
  if (!acceptsOwnerAllowFrom(release))
    return `  OpenClaw ${release} has no setting that names its owner, so the commands in chat answer nobody`;
  const owners = draft.get(["commands", "ownerAllowFrom"]);
  const isNamed = Array.isArray(owners) && owners.some((owner) => String(owner).trim() !== "" && owner !== "*");
  if (isNamed) return "  try it: /l0-status, as an owner (commands.ownerAllowFrom) in a direct chat";
  const how = `openclaw config set commands.ownerAllowFrom '["<channel>:<your id there>"]'`;
  return `  try it: /l0-status, as an operator of the gateway; on a chat channel once an owner is named: ${how}`;
}

/** Describes what a running gateway does about a changed config. */
export function gatewayLine(draft: ConfigDraft, { reloadsPlugins }: Pick<Abilities, "reloadsPlugins">): string {
  const mode = draft.get(["gateway", "reload", "mode"]);
  if (mode === "off" || mode === "hot") return `  restart the gateway (gateway.reload.mode is ${JSON.stringify(mode)})`;
  return reloadsPlugins
    ? "  a running gateway follows within seconds, without a restart"
    : "  a running gateway restarts itself for this within seconds, which aborts running answers";
}
