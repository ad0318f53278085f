import { resolve } from "node:path";
import type { StoreSelection } from "../../../continuity-tools/store-words.ts";
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

/**
 * Returns the store that the plugin's configuration names; each field undefined where it names none. A relative path is
 * of the state directory. With `postgres`, `file` is not used. Throws as above.
 */
export function configuredStore(stateDirectory: string): Pick<StoreSelection, "file" | "postgres" | "anchor"> {
  const config = configuredWork();
  const readSetting = (name: string): string | undefined => {
    const value = config[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const readPath = (name: string): string | undefined => {
    const path = readSetting(name);
    return path === undefined ? undefined : resolve(stateDirectory, path);
  };
  const postgres = readSetting("postgres");
  return postgres === undefined ? { file: readPath("file") } : { postgres, anchor: readPath("anchor") };
}
