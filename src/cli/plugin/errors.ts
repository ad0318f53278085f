import { CodedError, makeErrorBuilder } from "../../base/coded-error.ts";

/**
 * Why the plugin was not installed or uninstalled. The code is for programs, the message for the person who has to act.
 */
export type PluginErrorCode =
  /** The package has no built plugin. */
  | "plugin-missing"
  /** The config turns all plugins off. */
  | "plugins-off"
  /** The config denies this plugin. */
  | "plugin-denied"
  | "config-unreadable"
  /** The config is managed outside of OpenClaw. */
  | "config-read-only"
  /** Somebody has changed the config meanwhile. */
  | "config-changed"
  /** No variable names a home for OpenClaw's state. */
  | "home-missing"
  /** OpenClaw has not loaded or installed the plugin. */
  | "openclaw-refused"
  | "not-writable";

/** A refusal of `openclaw-integrity plugin`. When one is thrown, OpenClaw's config is as it was before. */
class PluginError extends CodedError<PluginErrorCode> {
  override readonly name = "PluginError";
}

/** Builds the three-part message all refusals share. */
export const pluginError = makeErrorBuilder(PluginError);
