import { makeFieldReader, isBoolean, isText } from "./config-field.ts";

/** The settings of `plugins.entries.clawos-l0.config.continuity`; openclaw.plugin.json describes each key. */
export interface ContinuityConfig {
  readonly enabled: boolean;
  /** What shares one project: a single conversation, or all conversations of an agent. */
  readonly scope: "session" | "agent";
  /** Hours since the last change of the work after which an agent asks before it continues. */
  readonly staleAfterHours: number;
  /** Address of a PostgreSQL server, for gateways on several machines; `file` is not used then. */
  readonly postgres: string | undefined;
  /** A file of this machine that notes the ends of the ledgers in PostgreSQL; a SQLite file has one beside it. */
  readonly anchor: string | undefined;
  /** A SQLite file; by default `openclaw-continuity.sqlite` in OpenClaw's state directory. */
  readonly file: string | undefined;
}

/** Reads the settings. A wrong value counts as missing, and `problems` gets a sentence on it. Ignores unknown keys. */
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
