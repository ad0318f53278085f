import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { documentedExports, exportedModules, newWorkingFolder, typeErrors } from "./collect.ts";
import { patience } from "../../harness/patience.ts";

const CHILD = fileURLToPath(new URL("child.ts", import.meta.url));

/** What needs more than a folder: an OpenClaw with its sessions, a server. */
const NOT_RUN = [
  "integrity OpenClawSession",
  "continuity openPostgresStore",
  "continuity/dbos DbosEngine",
  "continuity/dbos DbosStep",
  "continuity/dbos openDbosEngine",
];

const folder = newWorkingFolder();
const modules = exportedModules();
const exported = documentedExports(folder, modules);
const examples = exported.flatMap(({ title, examples: own, ...rest }) =>
  own.map((example, at) => ({ ...rest, ...example, title: at === 0 ? title : `${title} (${at + 1})` })),
);
const run = examples.filter(({ isRun }) => isRun);
/** Where the examples run, and where their temporary folders are. */
const [working, temporary] = ["working", "temporary"].map((name) => join(folder, name)) as [string, string];
const typeErrorsOf = new Map<string, string[]>();
const failureOf = new Map<string, string>();
/** How the process ended that ran them. */
let signal: NodeJS.Signals | null;
let status: number | null;

beforeAll(() => {
  for (const name of [working, temporary]) mkdirSync(name);
  const files = examples.map(({ code }, at) => {
    const file = join(folder, `${at}.mts`);
    writeFileSync(file, code);
    return file;
  });
  for (const [at, errors] of typeErrors(folder, modules, files).entries())
    typeErrorsOf.set(examples[at]!.title, errors);
  const result = join(folder, "result.json");
  const runs = files.filter((_, at) => examples[at]!.isRun);
  const env = { ...process.env, MODULES: JSON.stringify(modules), TMPDIR: temporary, TEMP: temporary, TMP: temporary };
  ({ signal, status } = spawnSync(process.execPath, [CHILD, result, ...runs], {
    cwd: working,
    env,
    timeout: patience(30_000),
  }));
  const failures = JSON.parse(readFileSync(result, "utf8")) as string[];
  for (const [at, failure] of failures.entries()) failureOf.set(run[at]!.title, failure);
});

describe("the docstrings of the exports", () => {
  it("have an example of each function and class", () => {
    expect(exported.filter((one) => one.examples.length === 0).map(({ title }) => title)).toEqual([]);
  });

  it("have examples that run, but for those that need more than a folder, and say why", () => {
    expect(examples.filter(({ isRun }) => !isRun).map(({ title }) => title)).toEqual(NOT_RUN);
    expect(examples.filter(({ isRun, words }) => !isRun && words === "")).toEqual([]);
  });

  it("have examples that leave nothing behind, no file, timer or server", () => {
    expect({ signal, status }).toEqual({ signal: null, status: 0 });
    expect(readdirSync(working)).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describe.each(examples)("the example of $title", ({ title, name, modules: from, code, isRun }) => {
  it("uses what it is an example of, by the names that a user has", () => {
    expect(code).toMatch(new RegExp(`\\b${name}\\b`));
    expect(from.filter((module) => code.includes(`from "${module}"`))).not.toEqual([]);
    expect(code).not.toMatch(/from "\.|(?:[:<]|\bas) *any\b|@ts-/);
  });

  it("has the right types", () => {
    expect(typeErrorsOf.get(title)).toEqual([]);
  });

  it.runIf(isRun)("runs, and what it asserts holds", () => {
    expect(code).toMatch(/\bassert\b/);
    expect(failureOf.get(title) ?? "it, or one before it, did not end").toBe("");
  });
});
