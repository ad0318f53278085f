/**
 * Runs modules one after the other: `child.ts <result file> <module>...`, with the environment variable MODULES, which
 * says as JSON which file each name of this package means. Writes a list with the error of each module, "" for none; the
 * list ends before a module that does not end.
 */
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

const modules = JSON.parse(process.env["MODULES"] ?? "{}") as Record<string, string>;
const [result = "", ...files] = process.argv.slice(2);

registerHooks({
  resolve(specifier, context, nextResolve) {
    const file = modules[specifier];
    return nextResolve(file === undefined ? specifier : pathToFileURL(file).href, context);
  },
});

const errors: string[] = [];
writeFileSync(result, "[]");
for (const file of files) {
  try {
    await import(pathToFileURL(file).href);
    errors.push("");
  } catch (error) {
    errors.push(error instanceof Error ? `${error.stack}` : String(error));
  }
  writeFileSync(result, JSON.stringify(errors));
}
