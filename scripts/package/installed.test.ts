/** What somebody has who installs the tarball: nothing beside it, and parts that load wherever they say they do. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { installFrom, packInto, ROOT, runIn } from "./install.ts";

const ADAPTERS = {
  "ai-sdk": "repairStep",
  langchain: "repairModelCall",
  "openai-agents": "repairSession",
  "pi-agent-core": "repairContext",
};
const PURE = { transcript: "repair", wire: "heal", fetch: "healingFetch", ...ADAPTERS };
const STORES = {
  integrity: "createSessionIntegrity",
  journal: "openJournal",
  observe: "observe",
  continuity: "Continuity",
  "continuity/dbos": "openDbosEngine",
};
const node20 = ["/usr/bin/node", "/usr/local/bin/node"].find((path) =>
  spawnSync(path, ["--version"], { encoding: "utf8" }).stdout?.startsWith("v20."),
);

let project: string;
beforeAll(() => {
  const folder = newFolder();
  project = join(folder, "project");
  installFrom(packInto(join(folder, "packed")), project);
}, 120_000);

/** The types of the names, as a program gets them that requires or imports them. */
function loadAll(node: string, parts: Readonly<Record<string, string>>): unknown {
  const names = Object.entries(parts).map(([part, name]) => [`openclaw-integrity/${part}`, name]);
  writeFileSync(
    join(project, "required.cjs"),
    `console.log(JSON.stringify(${JSON.stringify(names)}.map(([from, name]) => typeof require(from)[name])))`,
  );
  writeFileSync(
    join(project, "imported.mjs"),
    `const loaded = await Promise.all(${JSON.stringify(names)}.map(async ([from, name]) => typeof (await import(from))[name]));
     console.log(JSON.stringify(loaded));`,
  );
  return ["required.cjs", "imported.mjs"].map((file) => runIn(project, node, [file]));
}

it("no other package comes along, and the command runs", () => {
  expect(readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
    "openclaw-integrity",
  ]);
  const command = join(project, "node_modules", "openclaw-integrity", "dist", "cli.mjs");
  expect(runIn(project, process.execPath, [command, "--version"])).toMatch(/^\d+\.\d+\.\d+$/);
  expect(runIn(project, process.execPath, [command, "status"])).toMatch(/openclaw-missing/);
});

describe("the parts load in programs that require them, and in programs that import them", () => {
  it("on this Node", () => {
    const parts = { ...PURE, ...STORES };
    const loaded = JSON.stringify(Object.keys(parts).map(() => "function"));
    expect(loadAll(process.execPath, parts)).toEqual([loaded, loaded]);
  });

  it.skipIf(node20 === undefined)("on Node 20 the pure ones, the fetch and the adapters", () => {
    const loaded = JSON.stringify(Object.keys(PURE).map(() => "function"));
    expect(loadAll(node20!, PURE)).toEqual([loaded, loaded]);
  });

  it.skipIf(node20 === undefined)("on Node 20 a store is refused by what it needs", () => {
    const file = join(project, "stores.mjs");
    writeFileSync(
      file,
      `import { openJournal } from "openclaw-integrity/journal";
       import { openSqliteStore } from "openclaw-integrity/continuity";
       for (const open of [() => openJournal(":memory:"), () => openSqliteStore({ file: ":memory:" })])
         try { open(); console.log("opened"); } catch (error) { console.log(error.code, error.message); }`,
    );
    expect(runIn(project, node20!, [file]).split("\n")).toEqual([
      expect.stringMatching(/^no-sqlite expected a Node with node:sqlite \(22\.13 or later\); found Node v20/),
      expect.stringMatching(/^no-sqlite expected a Node with node:sqlite \(22\.13 or later\); found Node v20/),
    ]);
  });
});

const NODE = ["--types", "node"];
/** A browser or a worker: no types of Node. */
const web = (lib: string): string[] => ["--lib", `es2022,${lib}`, "--types", ""];

/** Node 16 could require no module: what its compiler finds for a program that requires has to be none. */
it.each([
  ["node16", "node16", { ...PURE, ...STORES }, NODE],
  ["node20", "node16", { ...PURE, ...STORES }, NODE],
  ["nodenext", "nodenext", { ...PURE, ...STORES }, NODE],
  ["esnext", "bundler", { ...PURE, ...STORES }, NODE],
  ["nodenext", "nodenext", PURE, web("dom")],
  ["esnext", "bundler", PURE, web("webworker")],
])("the compiler finds the types with %s and %s, of %j with %j", (module, moduleResolution, parts, known) => {
  const types = join(project, "node_modules", "@types");
  mkdirSync(types, { recursive: true });
  for (const name of ["@types/node", "undici-types"])
    try {
      symlinkSync(join(ROOT, "node_modules", name), join(project, "node_modules", name), "junction");
    } catch {
      // There since another case.
    }
  const code = Object.entries(parts)
    .map(([part, name]) => `import { ${name} } from "openclaw-integrity/${part}";\nvoid ${name};\n`)
    .join("");
  // The last line is the one error: the types are no `any`.
  const wrong = 'import { repair as real } from "openclaw-integrity/transcript";\nexport const text: string = real;\n';
  for (const ending of ["cts", "mts"]) writeFileSync(join(project, `program.${ending}`), code + wrong);
  const compiler = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const printed = runIn(project, process.execPath, [
    compiler,
    "--noEmit",
    "--strict",
    "--target",
    "es2022",
    ...known,
    "--module",
    module,
    "--moduleResolution",
    moduleResolution,
    "program.cts",
    "program.mts",
  ]);
  const errors = printed.split("\n").filter((line) => /error TS/.test(line));
  expect(errors).toEqual([
    expect.stringMatching(/^program\.cts.*is not assignable to type 'string'/),
    expect.stringMatching(/^program\.mts.*is not assignable to type 'string'/),
  ]);
});
