/** The name of a key as the plugin's document writes it in YAML: `repair_strategy` for `repairStrategy`. */
export function aliasOf(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * A configuration with its keys under their own names. `defaults` names the keys that have an alias, with what OpenClaw
 * may have filled in for each. Where both names are written and say different things the key's own name holds, and a
 * sentence says so.
 */
export function withoutAliases(
  written: Readonly<Record<string, unknown>>,
  defaults: Readonly<Record<string, unknown>>,
  problems: string[],
): Readonly<Record<string, unknown>> {
  const given: Record<string, unknown> = { ...written };
  for (const [key, standard] of Object.entries(defaults)) {
    const alias = aliasOf(key);
    const value = given[alias];
    if (value === undefined) continue;
    delete given[alias];
    if (given[key] === undefined || given[key] === standard) given[key] = value;
    else if (given[key] !== value)
      problems.push(
        `plugins.entries.clawos-l0.config.${alias}: expected one name for one setting; found ${key} beside it, which holds. Remove one of them.`,
      );
  }
  return given;
}
