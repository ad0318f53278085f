import { readFileSync } from "node:fs";

/** A JSON object whose values are still unchecked. */
export type JsonObject = { readonly [key: string]: unknown };

/** Reads fields of a JSON object; every complaint says in which file and field. */
export class Fields {
  readonly #values: JsonObject;
  readonly #where: string;

  constructor(value: unknown, where: string) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new Error(`${where}: expected an object; found ${describeValue(value)}.`);
    }
    this.#values = value as JsonObject;
    this.#where = where;
  }

  text(name: string): string {
    const value = this.#values[name];
    if (typeof value !== "string" || value === "") throw this.#wrong(name, "a text that is not empty");
    return value;
  }

  number(name: string): number {
    const value = this.#values[name];
    if (typeof value !== "number") throw this.#wrong(name, "a number");
    return value;
  }

  textOrNull(name: string): string | null {
    return this.#values[name] === null ? null : this.text(name);
  }

  texts(name: string): readonly string[] {
    const value = this.#values[name];
    if (!Array.isArray(value) || value.some((item) => typeof item !== "string"))
      throw this.#wrong(name, "a list of texts");
    return value as string[];
  }

  /** A list of objects, each with its own readers. */
  objects(name: string): readonly Fields[] {
    const value = this.#values[name];
    if (!Array.isArray(value)) throw this.#wrong(name, "a list of objects");
    return value.map((item, at) => new Fields(item, `${this.#where}: ${name}[${at}]`));
  }

  #wrong(name: string, expected: string): Error {
    return new Error(
      `${this.#where}: expected "${name}" to be ${expected}; found ${describeValue(this.#values[name])}.`,
    );
  }
}

/** Reads a JSON file whose outermost value is an object. */
export function readFields(path: string, where: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`${where}: expected JSON; ${error instanceof Error ? error.message : String(error)}.`, {
      cause: error,
    });
  }
  return new Fields(value, where);
}

function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value} (${JSON.stringify(value).slice(0, 40)})`;
}
