import { makeFieldReader, isBoolean } from "./config-field.ts";

/** How the gateway is restarted after the patch was applied automatically. */
export type RestartMode =
  /** By OpenClaw's own restart, where a supervisor starts the gateway again; otherwise the operator is asked. */
  | "auto"
  /** The operator is asked. */
  | "ask"
  /** The process ends; the operator vouches for something that starts it again, such as Docker's restart policy. */
  | "exit";

/** Whether the patch is applied when a gateway starts without it. */
export interface KeepPatchedConfig {
  readonly enabled: boolean;
  readonly restart: RestartMode;
}

const MODES: readonly RestartMode[] = ["auto", "ask", "exit"];

/** Reads `keepPatched`; a wrong value counts as missing and is added to `problems`. */
export function readKeepPatchedConfig(given: Readonly<Record<string, unknown>>, problems: string[]): KeepPatchedConfig {
  const take = makeFieldReader(given, "plugins.entries.clawos-l0.config.keepPatched", problems);
  return {
    enabled: take("enabled", isBoolean, "true or false") ?? false,
    restart:
      take(
        "restart",
        (value): value is RestartMode => MODES.includes(value as RestartMode),
        `one of ${MODES.join(", ")}`,
      ) ?? "auto",
  };
}
