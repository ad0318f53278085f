import { closeSync, fstatSync, openSync, readSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// A bundled chunk names its exports in the statement that ends the file; one of 200 names has about 8,000 characters.
const TAIL_BYTES = 64 * 1024;

/**
 * The chunk in OpenClaw's `dist` that exports the names as they are; the names of its files change with every release.
 * Throws when there is none.
 */
export async function importChunk<T extends object>(
  dist: string,
  file: RegExp,
  names: readonly (keyof T & string)[],
): Promise<T> {
  for (const name of readdirSync(dist).filter((entry) => file.test(entry))) {
    const exported = new Set(parseExports(exportStatement(join(dist, name))).values());
    if (!names.every((wanted) => exported.has(wanted))) continue;
    return (await import(pathToFileURL(join(dist, name)).href)) as T;
  }
  throw new Error(`No chunk like ${file.source} in ${dist} exports ${names.join(", ")}`);
}

/**
 * Like importChunk, for what not every release has, by the names within the chunk: undefined when none exports them.
 */
export async function importOptional<T extends object>(
  dist: string,
  file: RegExp,
  names: readonly (keyof T & string)[],
): Promise<T | undefined> {
  for (const name of readdirSync(dist).filter((entry) => file.test(entry))) {
    const exported = parseExports(exportStatement(join(dist, name)));
    if (!names.every((wanted) => exported.has(wanted))) continue;
    const module = (await import(pathToFileURL(join(dist, name)).href)) as Record<string, unknown>;
    return Object.fromEntries(names.map((wanted) => [wanted, module[exported.get(wanted) ?? wanted]])) as T;
  }
  return undefined;
}

/** Whether a chunk exports what is called `name` in it, under whatever name. */
export function hasExport(dist: string, file: RegExp, name: string): boolean {
  return readdirSync(dist).some(
    (entry) => file.test(entry) && parseExports(exportStatement(join(dist, entry))).has(name),
  );
}

function exportStatement(path: string): string {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const length = Math.min(size, TAIL_BYTES);
    const buffer = Buffer.alloc(length);
    readSync(file, buffer, 0, length, size - length);
    const tail = buffer.toString("utf8");
    return tail.slice(tail.lastIndexOf("export {"));
  } finally {
    closeSync(file);
  }
}

/** What a chunk exports: the name outside by the name within. */
function parseExports(statement: string): Map<string, string> {
  const list = /\{([^}]*)\}/.exec(statement)?.[1] ?? "";
  return new Map(
    list.split(",").map((entry) => {
      const [inner = "", outer = inner] = entry.trim().split(/\s+as\s+/);
      return [inner, outer] as const;
    }),
  );
}
