/** Regular expressions that are put together when a file is loaded. */
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { vi } from "vitest";
import type { Found } from "./collect.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Loads the files of the expressions and gives back what each file has made, those of other files not among them. */
export async function patternsMadeBy(found: readonly Found[]): Promise<Found[]> {
  const made: Found[] = [];
  const files = [...new Set(found.map(({ place }) => place.slice(0, place.lastIndexOf(":"))))];
  const Original = globalThis.RegExp;
  const recording = new Proxy(Original, {
    construct(target, [pattern, flags]: [string, string?], newTarget) {
      const caller = new Error().stack?.split("\n").find((line) => line.includes("/src/")) ?? "";
      const file = files.find((one) => caller.includes(one));
      if (file !== undefined)
        made.push({ place: file, pattern: String(pattern), flags: flags ?? "", source: String(pattern) });
      return Reflect.construct(target, [pattern, flags], newTarget) as RegExp;
    },
  });
  // What another test file's imports have loaded is loaded anew.
  vi.resetModules();
  globalThis.RegExp = recording;
  try {
    for (const file of files) await import(pathToFileURL(join(ROOT, file)).href);
  } finally {
    globalThis.RegExp = Original;
  }
  return made;
}
