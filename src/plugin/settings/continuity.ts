import { fieldsOf, isBoolean, isText } from "./config-field.ts";

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
  const take = fieldsOf(given, "plugins.entries.clawos-l0.config.continuity", problems);
  const config: ContinuityConfig = {
    enabled: take<boolean>("enabled", isBoolean, "true or false") ?? false,
    scope:
      take<ContinuityConfig["scope"]>(
        "scope",
        (value) => value === "session" || value === "agent",
        "session or agent",
      ) ?? "session",
    staleAfterHours:
      take<number>("staleAfterHours", (value) => Number(value) > 0 && typeof value === "number", "a number above 0") ??
      24,
    postgres: take<string>("postgres", isText, "the address of a PostgreSQL server"),
    anchor: take<string>("anchor", isText, "the path of a file"),
    file: take<string>("file", isText, "the path of a file"),
  };
  if (config.anchor !== undefined && config.postgres === undefined)
    problems.push(
      "plugins.entries.clawos-l0.config.continuity.anchor: it belongs to postgres; a SQLite file has its anchor beside it",
    );
  return config;
}
