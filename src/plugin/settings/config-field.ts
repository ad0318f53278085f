/**
 * Takes one key of a configuration: its value when it is right, undefined when it is missing or wrong; what is wrong is
 * told in a sentence.
 */
export type TakeField = <Value>(
  key: string,
  isRight: (value: unknown) => boolean,
  expected: string,
) => Value | undefined;

/**
 * Reads the keys of `given`, which stands at `place` in the configuration. A wrong value counts as missing: a plugin
 * that does not start protects nobody.
 */
export function fieldsOf(given: Readonly<Record<string, unknown>>, place: string, problems: string[]): TakeField {
  return <Value>(key: string, isRight: (value: unknown) => boolean, expected: string): Value | undefined => {
    const value = given[key];
    if (value === undefined || isRight(value)) return value as Value | undefined;
    problems.push(`${place}.${key}: expected ${expected}; found ${JSON.stringify(value)}. The default holds.`);
    return undefined;
  };
}

export function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}

export function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}
