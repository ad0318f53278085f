/** Loads the files that are patched, in a process of its own, and prints what became of them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { GUARD_FILE } from "../../src/patching/base/guard-file.ts";
import { registeredHere } from "../../src/register/marker.ts";

const [root = "", files = "[]"] = process.argv.slice(2);

function writing(): string {
  try {
    writeFileSync(join(root, "dist", "x"), "");
    return "possible";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "";
  }
}

const paths = (JSON.parse(files) as string[]).map((file) => join(root, file));
const written = writing();
for (const path of paths) await import(pathToFileURL(path).href);
const guard = (await import(pathToFileURL(join(root, GUARD_FILE)).href)) as { guardHistory?: unknown };
const { release, refused } = registeredHere(root) ?? {};
process.stdout.write(
  JSON.stringify({
    writing: written,
    loaded: paths.length,
    here: { release, refused },
    guard: typeof guard.guardHistory,
  }),
  () => process.exit(0),
);
