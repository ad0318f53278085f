import { CodedError, makeErrorBuilder } from "../../base/coded-error.ts";

/**
 * Why the plugin was not installed or uninstalled. The code is for programs, the message for the person who has to act.
 */
export type PluginErrorCode =
  | "plugin-missing"
  | "plugins-off"
  | "plugin-denied"
  | "config-unreadable"
  | "config-read-only"
  | "config-changed"
  | "home-missing"
  | "openclaw-refused"
  | "not-writable";

/** A refusal of `openclaw-integrity plugin`. When one is thrown, OpenClaw's config is as it was before. */
class PluginError extends CodedError<PluginErrorCode> {
  override readonly name = "PluginError";
}

/** Builds the three-part message all refusals share. */
export const pluginError = makeErrorBuilder(PluginError);

export { describeError } from "../../base/coded-error.ts";
