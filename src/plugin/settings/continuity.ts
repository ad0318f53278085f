import { fieldsOf, isBoolean, isText } from "./config-field.ts";

/** What `plugins.entries.clawos-l0.config.continuity` can say; each key is described in openclaw.plugin.json. */
export interface ContinuityConfig {
  readonly enabled: boolean;
  /** Whose work is one project: a conversation's, or that of all conversations of an agent. */
  readonly scope: "session" | "agent";
  /** Work that has rested longer is asked about and not gone on with. */
  readonly staleAfterHours: number;
  /** A PostgreSQL server instead of a file, for gateways on several machines. */
  readonly postgres: string | undefined;
  /** A SQLite file; `openclaw-continuity.sqlite` in OpenClaw's state directory when neither is named. */
  readonly file: string | undefined;
}

/** Reads it; what is wrong is added to `problems`. */
export function readContinuityConfig(given: Readonly<Record<string, unknown>>, problems: string[]): ContinuityConfig {
  const take = fieldsOf(given, "plugins.entries.clawos-l0.config.continuity", problems);
  return {
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
    file: take<string>("file", isText, "the path of a file"),
  };
}
