import { isObject } from "../../transcript/json/json.ts";
import { describeKind } from "./bad-input.ts";
import { integrityError } from "./errors.ts";

/** The configuration of SessionIntegrity. */
export interface Layer0Config {
  /**
   * False: nothing is checked, journalled or rolled back automatically; tools run and calls are made unchanged.
   * Explicit calls (`checkpoint`, `repair`, `rollback`, `reset`) still work.
   */
  enabled: boolean;
  /** `guardCall` validates the history before each call, and does not make a call that would be refused. */
  validateBeforeCall: boolean;
  /** True: `guardCall` and `handleError` repair a history that cannot be sent. False: they only offer the repair. */
  autoRepair: boolean;
  /**
   * How many checkpoints are kept for each session: of the committed ones, of those that were rolled back to, and of
   * those whose operation failed.
   */
  checkpointRetention: number;
  /** Checkpoints hold a copy of the messages, so that a rollback is possible after the store has lost them. */
  snapshotMessages: boolean;
  /**
   * False: when the journal is locked, read-only, full or damaged, calls and tools continue without it, and the result
   * reports that in `warnings`. True: they reject with the JournalError before anything ran.
   */
  requireJournal: boolean;
  /** Every event is logged as one line. */
  verbose: boolean;
}

/** The default of each option. */
export const DEFAULT_CONFIG: Layer0Config = {
  enabled: true,
  validateBeforeCall: true,
  autoRepair: true,
  checkpointRetention: 20,
  snapshotMessages: false,
  requireJournal: false,
  verbose: false,
};

/** Returns the configuration with defaults for missing options. Throws an IntegrityError `bad-config`. */
export function resolveConfig(config: Partial<Layer0Config> = {}): Layer0Config {
  if (!isObject(config)) {
    throw integrityError("bad-config", {
      expected: "an object in `config`, or nothing",
      found: describeKind(config),
      todo: "Leave the option out, or pass an object.",
    });
  }
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
