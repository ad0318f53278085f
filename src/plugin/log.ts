import { visible } from "../base/visible.ts";
import type { PluginLogger } from "./api.ts";
import { LEVELS, type LogLevel } from "./settings/config.ts";

/**
 * Returns a logger that passes lines of `level` and above on to OpenClaw's: on one line, with `clawos-l0: ` before them
 * and invisible characters escaped. It does not judge them: callers give it no text of a conversation.
 */
export function makeLogger(logger: PluginLogger, level: LogLevel): Required<PluginLogger> {
  const write =
    (at: LogLevel) =>
    (text: string): void => {
      if (LEVELS.indexOf(at) >= LEVELS.indexOf(level))
        (logger[at] ?? logger.info).call(logger, `clawos-l0: ${visible(text)}`);
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}
