import { visible } from "../base/visible.ts";
import type { PluginLogger } from "./api.ts";
import { LEVELS, type LogLevel } from "./settings/config.ts";

/**
 * Returns OpenClaw's logger, limited to lines of `level` and above. Lines contain session ids, counts and kinds of
 * faults, never text of a conversation.
 */
export function logFrom(logger: PluginLogger, level: LogLevel): Required<PluginLogger> {
  const write =
    (at: LogLevel) =>
    (text: string): void => {
      if (LEVELS.indexOf(at) >= LEVELS.indexOf(level))
        (logger[at] ?? logger.info).call(logger, `clawos-l0: ${visible(text)}`);
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}
