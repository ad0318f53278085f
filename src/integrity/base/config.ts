import { integrityError } from "./errors.ts";

/** How SessionIntegrity behaves (Layer 0 specification, "Configuration"). */
export interface Layer0Config {
  /**
   * False: nothing is checked, journalled or taken back by itself; tools run and calls go out as they are. What is
   * asked for expressly (`checkpoint`, `repair`, `rollback`, `reset`) still works.
   */
  enabled: boolean;
  /** `guardCall` looks at the history before each call, and does not make one that would be refused. */
  validateBeforeCall: boolean;
  /** A history that cannot be sent is repaired by `guardCall` and `handleError`; otherwise the repair is offered. */
  autoRepair: boolean;
  /**
   * How many checkpoints are kept for each session: of those that were committed, of those it was taken back to, and of
   * those whose operation failed.
   */
  checkpointRetention: number;
  /** Checkpoints hold a copy of the messages, so that a rollback is possible when the store has lost them. */
  snapshotMessages: boolean;
  /**
   * False: where the journal is locked, read-only or damaged, calls and tools go on without it, and the result says so
   * in `warnings`. True: they reject with the JournalError, and nothing has run.
   */
  requireJournal: boolean;
  /** Every event is logged as one line. */
  verbose: boolean;
}

/** What holds for what is not configured. */
export const DEFAULT_CONFIG: Layer0Config = {
  enabled: true,
  validateBeforeCall: true,
  autoRepair: true,
  checkpointRetention: 20,
  snapshotMessages: false,
  requireJournal: false,
  verbose: false,
};

/** The whole configuration. Throws an IntegrityError `bad-config`. */
export function resolveConfig(config: Partial<Layer0Config> = {}): Layer0Config {
  for (const [key, value] of Object.entries(config)) {
    const wanted = DEFAULT_CONFIG[key as keyof Layer0Config];
    if (wanted === undefined) {
      throw integrityError("bad-config", {
        expected: `one of ${Object.keys(DEFAULT_CONFIG).join(", ")}`,
        found: key,
        todo: "Correct the name of the option.",
      });
    }
    const isRight =
      value === undefined ||
      (typeof wanted === "number" ? Number.isInteger(value) && Number(value) >= 0 : typeof value === "boolean");
    if (!isRight) {
      const expected = typeof wanted === "number" ? "a whole number of at least 0" : "true or false";
      throw integrityError("bad-config", {
        expected: `${expected} for ${key}`,
        found: JSON.stringify(value) ?? String(value),
        todo: "Correct the option.",
      });
    }
  }
  const given = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
  return { ...DEFAULT_CONFIG, ...given };
}
