import { isObject } from "../../transcript/json/json.ts";
import type { RepairStrategy } from "../../transcript/repair.ts";
import { withoutAliases } from "./config-alias.ts";
import { makeFieldReader, isBoolean, isText } from "./config-field.ts";
import { type ContinuityConfig, readContinuityConfig } from "./continuity.ts";
import { type KeepPatchedConfig, readKeepPatchedConfig } from "./keep-patched.ts";

/** Lowest level of log lines that are written. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** Where the operator is notified, in the terms of `openclaw message send`. */
export interface NotifyTarget {
  readonly channel: string;
  readonly to: string;
  readonly accountId?: string;
}

/** The settings of `plugins.entries.clawos-l0.config`; openclaw.plugin.json describes each key. */
export interface PluginConfig {
  readonly repairStrategy: RepairStrategy;
  readonly logLevel: LogLevel;
  readonly validateBeforeCall: boolean;
  readonly autoRepair: boolean;
  /** Undefined: the environment variables of the core patch apply. */
  readonly checkpointInterval: number | undefined;
  readonly checkpointRetention: number | undefined;
  readonly snapshotMessages: boolean | undefined;
  readonly notify: NotifyTarget | undefined;
  /** Whether data of sessions that OpenClaw deletes is deleted too. */
  readonly followDeletions: boolean;
  /** Undefined: archives are kept without limit. */
  readonly archiveRetentionDays: number | undefined;
  readonly continuity: ContinuityConfig;
  readonly timeTravel: TimeTravelConfig;
  readonly keepPatched: KeepPatchedConfig;
}

/** Whether agents are offered the time travel tools. */
export interface TimeTravelConfig {
  readonly enabled: boolean;
  /** Whether the files of workspaces are captured, so that a move can bring them back. */
  readonly files: boolean;
}

const STRATEGIES: readonly RepairStrategy[] = ["remove_orphans", "reconstruct", "truncate"];
export const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/**
 * Defaults that OpenClaw fills in for missing keys, for the keys that have an alias; undefined where OpenClaw fills in
 * nothing.
 */
const DEFAULTS = {
  repairStrategy: "remove_orphans",
  logLevel: "warn",
  validateBeforeCall: true,
  autoRepair: true,
  followDeletions: true,
  checkpointInterval: undefined,
  checkpointRetention: undefined,
  snapshotMessages: undefined,
  archiveRetentionDays: undefined,
} as const satisfies Partial<PluginConfig>;

/** A configuration, and in a sentence each what is wrong with it and what is used instead. */
export interface ReadConfig {
  readonly config: PluginConfig;
  readonly problems: readonly string[];
}

/**
 * Reads the configuration. OpenClaw has checked it against the schema. In releases that do not, a wrong value counts as
 * missing and is reported, because a plugin that refuses to start protects nobody.
 */
export function readConfig(written: Readonly<Record<string, unknown>> = {}): ReadConfig {
  const problems: string[] = [];
  const given = withoutAliases(written, DEFAULTS, problems);
  const take = makeFieldReader(given, "plugins.entries.clawos-l0.config", problems);
  const config = {
    repairStrategy:
      take(
        "repairStrategy",
        (value): value is RepairStrategy => STRATEGIES.includes(value as RepairStrategy),
        `one of ${STRATEGIES.join(", ")}`,
      ) ?? DEFAULTS.repairStrategy,
    logLevel:
      take(
        "logLevel",
        (value): value is LogLevel => LEVELS.includes(value as LogLevel),
        `one of ${LEVELS.join(", ")}`,
      ) ?? DEFAULTS.logLevel,
    validateBeforeCall: take("validateBeforeCall", isBoolean, "true or false") ?? DEFAULTS.validateBeforeCall,
    autoRepair: take("autoRepair", isBoolean, "true or false") ?? DEFAULTS.autoRepair,
    checkpointInterval: take("checkpointInterval", isCount(1), "a whole number of at least 1"),
    checkpointRetention: take("checkpointRetention", isCount(0), "a whole number of at least 0"),
    snapshotMessages: take("snapshotMessages", isBoolean, "true or false"),
    notify: take("notify", isTarget, "{ channel, to } and perhaps accountId, each a text"),
    followDeletions: take("followDeletions", isBoolean, "true or false") ?? DEFAULTS.followDeletions,
    archiveRetentionDays: take("archiveRetentionDays", isCount(1), "a whole number of at least 1"),
    continuity: readContinuityConfig(take("continuity", isObject, "an object") ?? {}, problems),
    timeTravel: readTimeTravelConfig(take("timeTravel", isObject, "an object") ?? {}, problems),
    keepPatched: readKeepPatchedConfig(take("keepPatched", isObject, "an object") ?? {}, problems),
  } satisfies PluginConfig;
  return { config, problems };
}

function readTimeTravelConfig(given: Readonly<Record<string, unknown>>, problems: string[]): TimeTravelConfig {
  const take = makeFieldReader(given, "plugins.entries.clawos-l0.config.timeTravel", problems);
  return {
    enabled: take("enabled", isBoolean, "true or false") ?? false,
    files: take("files", isBoolean, "true or false") ?? false,
  };
}

function isCount(least: number): (value: unknown) => value is number {
  return (value): value is number => Number.isInteger(value) && Number(value) >= least;
}

function isTarget(value: unknown): value is NotifyTarget {
  return (
    isObject(value) &&
    isText(value.channel) &&
    isText(value.to) &&
    (value.accountId === undefined || isText(value.accountId))
  );
}
