import { makeFieldReader, isBoolean, isText } from "./config-field.ts";

/** The settings of `plugins.entries.clawos-l0.config.continuity`; openclaw.plugin.json describes each key. */
export interface ContinuityConfig {
  readonly enabled: boolean;
  /** What shares one project: a single conversation, or all conversations of an agent. */
  readonly scope: "session" | "agent";
  /** Age after which agents ask before they continue the work. */
  readonly staleAfterHours: number;
  /** Address of a PostgreSQL server to use instead of a file, for gateways on several machines. */
  readonly postgres: string | undefined;
  /** A file of this machine that notes the ends of the ledgers in PostgreSQL; a SQLite file has one beside it. */
  readonly anchor: string | undefined;
  /** A SQLite file; by default `openclaw-continuity.sqlite` in OpenClaw's state directory. */
  readonly file: string | undefined;
}

/** Reads the settings; what is wrong is added to `problems`. */
export function readContinuityConfig(given: Readonly<Record<string, unknown>>, problems: string[]): ContinuityConfig {
  const take = makeFieldReader(given, "plugins.entries.clawos-l0.config.continuity", problems);
  const config: ContinuityConfig = {
    enabled: take("enabled", isBoolean, "true or false") ?? false,
    scope:
      take(
        "scope",
        (value): value is ContinuityConfig["scope"] => value === "session" || value === "agent",
        "session or agent",
      ) ?? "session",
    staleAfterHours:
      take("staleAfterHours", (value): value is number => typeof value === "number" && value > 0, "a number above 0") ??
      24,
    postgres: take("postgres", isText, "the address of a PostgreSQL server"),
    anchor: take("anchor", isText, "the path of a file"),
    file: take("file", isText, "the path of a file"),
  };
  if (config.anchor !== undefined && config.postgres === undefined)
    problems.push(
      "plugins.entries.clawos-l0.config.continuity.anchor: it belongs to postgres; " +
        "a SQLite file has its anchor beside it",
    );
  return config;
}
