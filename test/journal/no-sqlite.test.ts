import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";

const JOURNAL = new URL("../../src/journal/index.ts", import.meta.url).href;

/** Early releases of OpenClaw run on Node 22.12, which has no node:sqlite; this flag takes it away from a later one. */
function onNodeWithoutSqlite(code: string): { said: string; errors: string } {
  const ran = spawnSync(process.execPath, ["--no-experimental-sqlite", "--input-type=module", "-e", code], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    encoding: "utf8",
  });
  return { said: ran.stdout, errors: ran.stderr };
}

it("a Node without SQLite is told so when the journal is opened, not when it is loaded, and nothing is put on the disk", () => {
  const folder = newFolder();
  const { said, errors } = onNodeWithoutSqlite(
    `const { openJournal } = await import(${JSON.stringify(JOURNAL)}); console.log("loaded"); try { openJournal(${JSON.stringify(join(folder, "journal.sqlite"))}); } catch (error) { console.log(error.code, error.message); }`,
  );
  expect(said).toMatch(
    /^loaded\nno-sqlite expected a Node with node:sqlite \(22\.13 or later\); found Node v[\d.]+\. Use a newer Node\.\n$/,
  );
  expect(errors).toBe("");
  expect(readdirSync(folder)).toEqual([]);
});

it("a Node with SQLite gives no warning about it", () => {
  const ran = spawnSync(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `const { openJournal } = await import(${JSON.stringify(JOURNAL)}); openJournal(":memory:").close();`,
    ],
    { encoding: "utf8" },
  );
  expect({ status: ran.status, errors: ran.stderr }).toEqual({ status: 0, errors: "" });
});
