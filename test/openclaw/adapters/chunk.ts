import { closeSync, fstatSync, openSync, readSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// A bundled chunk names its exports in the statement that ends the file; one of 200 names has about 8,000 characters.
const TAIL_BYTES = 64 * 1024;

/** The chunk in OpenClaw's `dist` that exports the names as they are; the names of its files change with every release. */
export async function importChunk<T extends object>(dist: string, file: RegExp, names: readonly (keyof T & string)[]): Promise<T> {
  for (const name of readdirSync(dist).filter((entry) => file.test(entry))) {
    const exported = exportStatement(join(dist, name));
    if (!names.every((wanted) => exportsName(exported, wanted))) continue;
    return (await import(pathToFileURL(join(dist, name)).href)) as T;
  }
  throw new Error(`No chunk like ${file.source} in ${dist} exports ${names.join(", ")}`);
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

/** Whether a name is exported under itself or by `x as name`; `name as x` does not count. */
function exportsName(statement: string, name: string): boolean {
  return new RegExp(`[{,\\s]${name}\\s*[,}]`).test(statement);
}
