import { fileURLToPath } from "node:url";
import { hasSessionFiles } from "./config.ts";
import { providerPlugins } from "../openclaw/adapters/provider-plugins.ts";

/** The built plugin, as it is shipped. */
const PLUGIN = fileURLToPath(new URL("../../dist/plugin", import.meta.url));

/** A channel that writes what is sent into the file that LETTERBOX names. */
const LETTERBOX = fileURLToPath(new URL("letterbox", import.meta.url));

/**
 * The settings of a gateway that has the plugin, as `openclaw-integrity plugin install` makes them, and the letterbox;
 * without a configuration the letterbox alone.
 */
export function pluginSettings(
  dist: string,
  config: object | null = {},
  more: object = {},
): { plugins: object; channels: object } {
  const files = hasSessionFiles(dist);
  return {
    plugins: {
      ...(files
        ? { enabled: true, slots: { memory: "none" } }
        : { allow: [...providerPlugins(dist), ...(config === null ? [] : ["clawos-l0"]), "letterbox"] }),
      load: { paths: config === null ? [LETTERBOX] : [PLUGIN, LETTERBOX] },
      entries: {
        letterbox: { enabled: true },
        ...(config !== null && {
          "clawos-l0": { enabled: true, config, ...(files ? {} : { hooks: { allowConversationAccess: true } }) },
        }),
      },
      ...more,
    },
    channels: { letterbox: { enabled: true } },
  };
}
