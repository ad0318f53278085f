import { ConfigDraft } from "../../plugin/config-file.ts";
import { configFile } from "../../plugin/config-place.ts";
import { PLUGIN_ID } from "../../plugin/folder.ts";
import { isObject, type JsonObject } from "../../../transcript/json/json.ts";

/**
 * Returns what the plugin's configuration says on recorded work, as it is written there; an empty object where it says
 * nothing. Throws where the configuration cannot be read.
 */
export function configuredWork(): JsonObject {
  const config: unknown = new ConfigDraft(configFile()).get(["plugins", "entries", PLUGIN_ID, "config", "continuity"]);
  return isObject(config) ? config : {};
}
