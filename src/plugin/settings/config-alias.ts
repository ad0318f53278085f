/** Returns the snake_case alias of a key: `repair_strategy` for `repairStrategy`. */
function toAlias(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Returns a configuration with all keys under their own names. `defaults` lists the keys that have an alias, with the
 * values that OpenClaw may have filled in. Where both names are set and differ, the key's own name takes precedence,
 * and a sentence is added to `problems`.
 */
export function withoutAliases(
  written: Readonly<Record<string, unknown>>,
  defaults: Readonly<Record<string, unknown>>,
  problems: string[],
): Readonly<Record<string, unknown>> {
  const given: Record<string, unknown> = { ...written };
  for (const [key, standard] of Object.entries(defaults)) {
    const alias = toAlias(key);
    const value = given[alias];
    if (value === undefined) continue;
    delete given[alias];
    if (given[key] === undefined || given[key] === standard) given[key] = value;
    else if (given[key] !== value)
      problems.push(
        `plugins.entries.clawos-l0.config.${alias}: expected one name for one setting; found also ${key}, which ` +
          "takes precedence. Remove one of them.",
      );
  }
  return given;
}
