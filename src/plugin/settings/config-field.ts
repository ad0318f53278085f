/**
 * Reads one key of a configuration. Returns its value; undefined when it is missing or wrong, and a wrong value is
 * reported in a sentence.
 */
export type TakeField = <Value>(
  key: string,
  isRight: (value: unknown) => value is Value,
  expected: string,
) => Value | undefined;

/**
 * Returns a reader for the keys of `given`, which is at `place` in the configuration. A wrong value counts as missing,
 * because a plugin that does not start protects nobody.
 */
export function makeFieldReader(
  given: Readonly<Record<string, unknown>>,
  place: string,
  problems: string[],
): TakeField {
  return <Value>(key: string, isRight: (value: unknown) => value is Value, expected: string): Value | undefined => {
    const value = given[key];
    if (value === undefined || isRight(value)) return value;
    problems.push(`${place}.${key}: expected ${expected}; found ${JSON.stringify(value)}. The default is used.`);
    return undefined;
  };
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
