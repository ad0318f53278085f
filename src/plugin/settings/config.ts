import { isObject } from "../../transcript/json/json.ts";
import type { RepairStrategy } from "../../transcript/repair.ts";
import { withoutAliases } from "./config-alias.ts";
import { fieldsOf, isBoolean, isText } from "./config-field.ts";
import { type ContinuityConfig, readContinuityConfig } from "./continuity.ts";

/** Which log lines are written. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** Where the operator is told; as `openclaw message send` takes it. */
export interface NotifyTarget {
  readonly channel: string;
  readonly to: string;
  readonly accountId?: string;
}

/** What `plugins.entries.clawos-l0.config` can say; each key is described in openclaw.plugin.json. */
export interface PluginConfig {
  readonly repairStrategy: RepairStrategy;
  readonly logLevel: LogLevel;
  readonly validateBeforeCall: boolean;
  readonly autoRepair: boolean;
  /** Undefined: what the environment of the core patch says. */
  readonly checkpointInterval: number | undefined;
  readonly checkpointRetention: number | undefined;
  readonly snapshotMessages: boolean | undefined;
  readonly notify: NotifyTarget | undefined;
  /** What OpenClaw deletes is deleted here too. */
  readonly followDeletions: boolean;
  /** Undefined: archives are kept for ever. */
  readonly archiveRetentionDays: number | undefined;
  readonly continuity: ContinuityConfig;
  readonly timeTravel: TimeTravelConfig;
}

/** Whether agents are offered the tools to move in their own history. */
export interface TimeTravelConfig {
  readonly enabled: boolean;
}

const STRATEGIES: readonly string[] = ["remove_orphans", "reconstruct", "truncate"];
export const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/**
 * What OpenClaw fills in for a key that nobody wrote, where it has other names too; undefined where it fills in
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

/** What is wrong with a configuration, in a sentence each, and what holds instead. */
export interface ReadConfig {
  readonly config: PluginConfig;
  readonly problems: readonly string[];
}

/**
 * Reads the configuration. OpenClaw has checked it against the schema; where a release did not, a wrong value counts as
 * missing and is told, because a plugin that refuses to start protects nobody. Issue 6, item 2.
 */
export function readConfig(written: Readonly<Record<string, unknown>> = {}): ReadConfig {
  const problems: string[] = [];
  const given = withoutAliases(written, DEFAULTS, problems);
  const take = fieldsOf(given, "plugins.entries.clawos-l0.config", problems);
  const config = {
    repairStrategy:
      take<RepairStrategy>(
        "repairStrategy",
        (value) => STRATEGIES.includes(value as string),
        `one of ${STRATEGIES.join(", ")}`,
      ) ?? DEFAULTS.repairStrategy,
    logLevel:
      take<LogLevel>("logLevel", (value) => LEVELS.includes(value as LogLevel), `one of ${LEVELS.join(", ")}`) ??
      DEFAULTS.logLevel,
    validateBeforeCall: take<boolean>("validateBeforeCall", isBoolean, "true or false") ?? DEFAULTS.validateBeforeCall,
    autoRepair: take<boolean>("autoRepair", isBoolean, "true or false") ?? DEFAULTS.autoRepair,
    checkpointInterval: take<number>("checkpointInterval", isCount(1), "a whole number of at least 1"),
    checkpointRetention: take<number>("checkpointRetention", isCount(0), "a whole number of at least 0"),
    snapshotMessages: take<boolean>("snapshotMessages", isBoolean, "true or false"),
    notify: take<NotifyTarget>("notify", isTarget, "{ channel, to } and perhaps accountId, each a text"),
    followDeletions: take<boolean>("followDeletions", isBoolean, "true or false") ?? DEFAULTS.followDeletions,
    archiveRetentionDays: take<number>("archiveRetentionDays", isCount(1), "a whole number of at least 1"),
    continuity: readContinuityConfig(
      take<Record<string, unknown>>("continuity", isObject, "an object") ?? {},
      problems,
    ),
    timeTravel: readTimeTravelConfig(
      take<Record<string, unknown>>("timeTravel", isObject, "an object") ?? {},
      problems,
    ),
  } satisfies PluginConfig;
  return { config, problems };
}

function readTimeTravelConfig(given: Readonly<Record<string, unknown>>, problems: string[]): TimeTravelConfig {
  const take = fieldsOf(given, "plugins.entries.clawos-l0.config.timeTravel", problems);
  return { enabled: take<boolean>("enabled", isBoolean, "true or false") ?? false };
}

function isCount(least: number): (value: unknown) => boolean {
  return (value) => Number.isInteger(value) && Number(value) >= least;
}

function isTarget(value: unknown): boolean {
  return (
    isObject(value) &&
    isText(value.channel) &&
    isText(value.to) &&
    (value.accountId === undefined || isText(value.accountId))
  );
}
