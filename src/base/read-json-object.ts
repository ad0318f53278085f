import { readFileSync } from "node:fs";

/** Reads the object in a JSON file; undefined where the file has another value or cannot be read. Never throws. */
export function readJsonObject(file: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown> | null;
    return typeof value === "object" && !Array.isArray(value) ? (value ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}
