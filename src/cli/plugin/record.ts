/**
 * The record of what `plugin install` changed, so that `plugin uninstall` can undo exactly that:
 * `integrity/plugin.json` in the state directory.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../../base/files/index.ts";
import { putFile, unlessRefused } from "../../store/archives/durable-file.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import type { Spot } from "./config-file.ts";
import type { Json, KeyPath } from "./config-text.ts";
import { pluginError } from "./errors.ts";

/** One change of the config. `before` is missing where the key was not set. */
export type Step =
  | { readonly do: "set"; readonly key: KeyPath; readonly spot: Spot; readonly before?: Json; readonly after: Json }
  | { readonly do: "add" | "drop"; readonly key: KeyPath; readonly spot: Spot; readonly item: string };

/** How OpenClaw gets the plugin's files: from this package, as a copy of them, or with OpenClaw itself. */
export type Way = "link" | "copy" | "bundled";

/** An installation of the plugin by this command. */
export interface PluginRecord {
  readonly configFile: string;
  /** The config did not exist before. */
  readonly isNewConfig: boolean;
  readonly way: Way;
  readonly folder: string;
  /** OpenClaw has its own record of the installation. */
  readonly isRecorded: boolean;
  readonly steps: readonly Step[];
  /** The objects and lists that were created for the changes, the outermost first. */
  readonly made: readonly Spot[];
  /** The objects and lists that existed before; OpenClaw's own command removes an empty one. */
  readonly had: readonly Spot[];
}

/** The recorded changes of the config. */
export type Changes = Pick<PluginRecord, "steps" | "made" | "had">;

const VERSION = 1;

/** Returns the path of the record. */
function pluginRecordFile(env: NodeJS.ProcessEnv = process.env): string {
  return join(stateDirectory(env), "integrity", "plugin.json");
}

/**
 * Reads the record; undefined when the plugin was not installed by this command. Throws `config-unreadable` for a
 * damaged record.
 */
export function readPluginRecord(env: NodeJS.ProcessEnv = process.env): PluginRecord | undefined {
  const file = pluginRecordFile(env);
  if (!existsSync(file)) return undefined;
  try {
    const { version, ...record } = JSON.parse(readFileSync(file, "utf8")) as PluginRecord & { version: unknown };
    if (version === VERSION && Array.isArray(record.steps) && Array.isArray(record.made)) return record;
  } catch {
    // The error is thrown below.
  }
  throw pluginError("config-unreadable", {
    expected: `the record of plugin install in ${file}`,
    found: "another content",
    todo:
      "Remove the keys of clawos-l0 under plugins from OpenClaw's config by hand, and delete this file; " +
      "nothing was changed.",
  });
}

/** Writes the record, for its owner only. Throws `not-writable` and `unsafe-path`. */
export function writePluginRecord(record: PluginRecord, env: NodeJS.ProcessEnv = process.env): void {
  const file = pluginRecordFile(env);
  unlessRefused(file, () => makeFolder(dirname(file)));
  putFile(file, `${JSON.stringify({ version: VERSION, ...record }, null, 2)}\n`, 0o600);
}

/** Removes the record. */
export function removePluginRecord(env: NodeJS.ProcessEnv = process.env): void {
  rmSync(pluginRecordFile(env), { force: true });
}

/**
 * Joins the changes of an installation with those of the one before it. Changes of the earlier one that the new one
 * undoes are left out.
 */
export function joined(earlier: Changes | undefined, { steps, made, had }: Changes): Changes {
  if (earlier === undefined) return { steps, made, had };
  const undone = steps.filter(
    (one) => one.do === "drop" && earlier.steps.some((other) => other.do === "add" && isOfSame(one, other)),
  );
  const kept = earlier.steps.filter((one) => !undone.some((other) => isOfSame(one, other)));
  const more = steps.filter(
    (one) => !undone.includes(one) && !kept.some((other) => one.do === other.do && isOfSame(one, other)),
  );
  const known = new Set([...earlier.made, ...earlier.had].map((spot) => JSON.stringify(spot)));
  return {
    steps: [...kept, ...more],
    made: [...earlier.made, ...made.filter((spot) => !known.has(JSON.stringify(spot)))],
    had: earlier.had,
  };
}

/** Returns whether two changes concern the same key, or the same item of a list. */
function isOfSame(one: Step, other: Step): boolean {
  return (
    String(one.key) === String(other.key) &&
    (one.do === "set" ? undefined : one.item) === (other.do === "set" ? undefined : other.item)
  );
}
