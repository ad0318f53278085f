/** Begins a patch point: what is the same in each is written, what is to be thought of is named. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const POINTS = fileURLToPath(new URL("../../src/patching/points", import.meta.url));

/**
 * Writes the file of a new patch point into `folder`, enters it in the list there and raises PATCH_SET. Returns what is
 * left to do. Throws for an id that is no name of a file, or that is taken.
 */
export function beginPoint(id: string, folder: string = POINTS): readonly string[] {
  const file = join(folder, `${id}.ts`);
  if (!/^[a-z]+(-[a-z]+)*$/.test(id)) throw new Error(`expected an id such as session-load; found ${id}`);
  if (existsSync(file)) throw new Error(`expected an id that no patch point has; found ${file}`);
  const name = id.replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  const list = join(folder, "index.ts");
  const before = readFileSync(list, "utf8");
  const after = before
    .replace(/(?<=from "[^"]*";\n)(?=\n)/, `import { ${name} } from "./${id}.ts";\n`)
    .replace(/(?<=export const PATCH_POINTS[^=]*= \[[^\]]*)(?=\];)/, `  ${name},\n`)
    .replace(/(?<=PATCH_SET = ")\d+/, (set) => String(Number(set) + 1));
  writeFileSync(file, template(id, name));
  writeFileSync(list, after);
  return [
    `${file}: look for "...": what it prevents, the code that it looks for, its line, its proof`,
    `${list}: its place in the order of a turn`,
    "src/patching/base/guard-file.ts and src/guard/index.ts: what its line calls, if no point calls it yet",
    "src/patching/locate/locate.test.ts: a source that has it, and one that has not",
    "npm run build, npm run point -- --record 2026.2.3 2026.9.6: until the base releases have it, no test starts",
    "npm run point -- --record: in which other releases it is",
  ];
}

function template(id: string, name: string): string {
  return `/** The place where OpenClaw .... */
import { asNode, memberPath, findOffsets, findStatement, walkTo } from "../source/ast.ts";
import { awaitableAt, type Chunk, guardCall, type Insertion } from "../source/insertion.ts";
import type { PatchPoint } from "../source/point.ts";

const ID = "${id}";
const CALLEE = "...";
const NEEDLE = \`\${CALLEE}(\`;

export const ${name}: PatchPoint = {
  id: ID,
  prevents: "...",
  commit: "sessions: ...",
  why: "...",
  dependsOn: \`a call of \${CALLEE}\`,
  inserts: "before it: ...",
  needles: [NEEDLE],
  copies: { min: 0, max: 4 },
  essential: false,
  locate,
  proof: "...",
  provenance: {
    origin: "vendor",
    bugs: ["..."],
    forwarded: "no",
    lastUpdate: "${new Date().toISOString().slice(0, 10)}",
    dropWhen: "the proof passes on the unpatched release",
  },
};

function locate(chunk: Chunk): readonly Insertion[] {
  const insertions: Insertion[] = [];
  walkTo(chunk.tree, findOffsets(chunk.source, NEEDLE), (call, ancestors) => {
    const place = findStatement(call, ancestors);
    if (!place || memberPath(asNode(call, "CallExpression")?.["callee"]) !== CALLEE) return;
    // In a function that is not async: staticImport in place of these two lines, as in entries-load.ts.
    awaitableAt(place.scope, place.statement);
    const text = \`await \${guardCall(chunk, "repairSessionFile", "...")};\`;
    insertions.push({ point: ID, statement: place.statement, where: "before", text });
  });
  return insertions;
}
`;
}
