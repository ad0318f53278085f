/** The code blocks of the pages: what a reader copies has to compile, with the options of a careful user. */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { exportedModules, newWorkingFolder, typeErrors } from "./collect.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const folder = newWorkingFolder();

it("the TypeScript of README.md and docs/ compiles as it stands, against the package's own types", () => {
  const blocks = ["README.md", ...globSync("docs/*.md", { cwd: ROOT })].flatMap((page) =>
    [...readFileSync(join(ROOT, page), "utf8").matchAll(/^```(?:ts|js)\n([^]*?)^```/gm)].map(([, code = ""]) => ({
      page,
      code,
    })),
  );
  expect(blocks.length).toBeGreaterThan(6);
  const files = blocks.map(({ code }, at) => {
    const file = join(folder, `page-${at}.mts`);
    writeFileSync(file, code.includes("import ") ? code : `export {};\n${code}`);
    return file;
  });
  // A block shows what a call gives; what the reader does with it is not its matter.
  const errors = typeErrors(folder, exportedModules(), files).map((all) =>
    all.filter((error) => !/is declared but its value is never read|elements are unused/.test(error)),
  );
  const found = blocks.flatMap(({ page, code }, at) =>
    errors[at]!.length === 0 ? [] : [`${page}: ${code.split("\n")[0]}\n  ${errors[at]!.join("\n  ")}`],
  );
  expect(found.join("\n")).toBe("");
}, 60_000);
