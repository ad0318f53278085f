/** Types that a program needs to write what the exports take: a store of its own, a wrapper with the same options. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { exportedModules, newWorkingFolder, typeErrors } from "./collect.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const folder = newWorkingFolder();

/** A program of a user, and what the compiler says of it. */
const PROGRAMS: [string, string][] = [
  [
    "a store of its own",
    `import type { Commit, CommitOutcome, ContinuityStore, Heartbeat, ResultRow } from "openclaw-integrity/continuity";
     export abstract class Mine implements Pick<ContinuityStore, "commit" | "heartbeat"> {
       abstract commit(commit: Commit): Promise<CommitOutcome>;
       abstract heartbeat(heartbeat: Heartbeat): Promise<boolean>;
       abstract keep(result: ResultRow): void;
     }`,
  ],
  [
    "a file beside the journal, and outcomes of its own",
    `import { openFile, type Connection, type KnownOutcome, type Schema, type Statement } from "openclaw-integrity/journal";
     export const open = (file: string, schema: Schema): Statement =>
       openFile(file, schema, {}, (connection: Connection) => connection.prepare("SELECT 1"));
     export const failed: KnownOutcome = { callId: "c1", toolName: "pay", outcome: "interrupted", at: 0 };`,
  ],
  [
    "wrappers with the same options",
    `import { check, prepare, type BodyOptions, type PrepareOptions } from "openclaw-integrity/wire";
     import { validate, type ValidateOptions } from "openclaw-integrity/transcript";
     export const checked = (body: unknown, options: BodyOptions) => check("openai-responses", body, options);
     export const prepared = (list: object[], options: PrepareOptions) => prepare("openai-responses", list, options);
     export const valid = (list: object[], options: ValidateOptions) => validate(list, options).length === 0;`,
  ],
];

describe("a user's program compiles with the exported types alone", () => {
  it.each(PROGRAMS)("%s", (name, code) => {
    const file = join(folder, `${name.replaceAll(/\W/g, "-")}.mts`);
    writeFileSync(file, code);
    expect(typeErrors(folder, exportedModules(), [file])[0]).toEqual([]);
  });
});

it("the built declarations have no errors of their own, which a user without skipLibCheck would see", () => {
  const files = globSync("dist/*.d.mts", { cwd: ROOT }).map((file) => join(ROOT, file));
  expect(existsSync(join(ROOT, "dist")), "run npm run build first").toBe(true);
  expect(files.length).toBeGreaterThan(5);
  expect(typeErrors(folder, {}, files).flat()).toEqual([]);
});

it("the declarations name no source file and no room of this repository, which a user does not have", () => {
  const files = globSync("dist/*.d.mts", { cwd: ROOT });
  const named = files.flatMap((file) =>
    readFileSync(join(ROOT, file), "utf8")
      .split("\n")
      .filter((line) => /^\s*(?:\/?\*|\/\/)/.test(line) && /\bthis room\b|\b[a-z-]+\.ts\b/.test(line)),
  );
  expect(named).toEqual([]);
});

it("the examples compile where the package is installed, by their own tsconfig.json", () => {
  const project = newFolder();
  cpSync(join(ROOT, "examples"), join(project, "examples"), { recursive: true });
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  mkdirSync(join(project, "node_modules"));
  for (const [name, target] of [
    ["openclaw-integrity", ROOT],
    ["@types", join(ROOT, "node_modules/@types")],
    ["@dbos-inc", join(ROOT, "node_modules/@dbos-inc")],
  ] as const)
    symlinkSync(target, join(project, "node_modules", name), "junction");
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", join(project, "examples")], { encoding: "utf8" });
  expect(stdout).toBe("");
});
