import { visible } from "../base/visible.ts";
import type { PluginLogger } from "./api.ts";
import { LEVELS, type LogLevel } from "./settings/config.ts";

/** OpenClaw's log, from a level on. Lines name sessions, counts and kinds of faults, never a word of a conversation. */
export function logFrom(logger: PluginLogger, level: LogLevel): Required<PluginLogger> {
  const write =
    (at: LogLevel) =>
    (text: string): void => {
      if (LEVELS.indexOf(at) >= LEVELS.indexOf(level))
        (logger[at] ?? logger.info).call(logger, `clawos-l0: ${visible(text)}`);
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}
