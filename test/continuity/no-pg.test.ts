import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));

test("without pg the built kernel loads and keeps SQLite stores, and a PostgreSQL store is refused with what to install", () => {
  const folder = newFolder();
  mkdirSync(join(folder, "dist"));
  cpSync(join(REPOSITORY, "dist"), join(folder, "dist"), {
    recursive: true,
    filter: (path) => !/[\\/](?:plugin|register)$/.test(path),
  });
  const script = `
    import { Continuity, openPostgresStore, openSqliteStore } from "./dist/continuity.mjs";
    const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
    await (await continuity.project("site")).createGoal({ text: "Move the site" });
    await continuity.close();
    const error = await openPostgresStore({ connectionString: "postgres://me@localhost/work" }).catch((e) => e);
    console.log(JSON.stringify([error.code, error.message]));`;
  writeFileSync(join(folder, "run.mjs"), script);
  const printed = execFileSync(process.execPath, ["run.mjs"], { cwd: folder, encoding: "utf8" });
  expect(JSON.parse(printed)).toEqual([
    "no-pg",
    expect.stringMatching(/the package pg.*found no package pg.*npm install pg/s),
  ]);
});
