import { ConfigDraft } from "./config-file.ts";
import { configFile } from "./config-place.ts";
import { PLUGIN_ID } from "./folder.ts";

/**
 * Whether OpenClaw's config lets the plugin apply the patch again when an update has removed it. False where the plugin
 * is not installed or turned off, and where the config cannot be read. Never throws.
 */
export function keepsPatched(env: NodeJS.ProcessEnv = process.env): boolean {
  try {
    const draft = new ConfigDraft(configFile(env));
    const entry = ["plugins", "entries", PLUGIN_ID];
    return (
      draft.get(["plugins", "enabled"]) !== false &&
      draft.get([...entry, "enabled"]) !== false &&
      draft.get([...entry, "config", "keepPatched", "enabled"]) === true
    );
  } catch {
    return false;
  }
}
