/** Finds where a stored session is opened: what fails there never reaches the history pipeline. */
import type { Node } from "./ast.ts";
import { asNode, asNodes, calleeName, isFunction, memberPath, objectParts, offsetsOf, statementsOf, walkTo } from "./ast.ts";
import type { Chunk, Insertion } from "./insertion.ts";
import { awaitableAt, Mismatch, rootsInScope } from "./insertion.ts";
import type { PointId } from "./points.ts";

const LOAD = "openclawIntegrityLoadTranscript";
const INDEXED = "openclawIntegrityWhenIndexed";

/** Functions of 2026.9.6 that refuse entries by their header, and the line that gives them entries they accept. */
const READERS: ReadonlyMap<string, { readonly uses: readonly string[]; readonly text: string } | undefined> = new Map([
  [
    "setLoadedSessionTarget",
    {
      uses: ["target", "entries", "bounded", "loadTranscriptReadSnapshotSync"],
      text:
        `({ entries, bounded } = ${LOAD}({ entries, bounded, sessionId: target?.sessionId, ` +
        "readAll: () => target ? loadTranscriptReadSnapshotSync(target).events : entries }));",
    },
  ],
  [
    "fromSelectedEntries",
    { uses: ["contextEntries"], text: `contextEntries = ${LOAD}({ entries: contextEntries }).entries;` },
  ],
  // Adds side reports to a transcript and never feeds a model; it may keep refusing what it cannot date.
  ["readReportBranch", undefined],
]);

/** The insertions for JSONL transcripts (2026.2.3) or SQLite transcripts (2026.9.6), whichever the chunk has. */
export function locateLoad(chunk: Chunk): readonly Insertion[] {
  return [...locateFileLoad(chunk), ...locateEntriesLoad(chunk), ...locateIndex(chunk)];
}

/** `await repairSessionFileIfNeeded({ sessionFile: X, ... })`: OpenClaw gives up there on a file without a header. */
function locateFileLoad(chunk: Chunk): readonly Insertion[] {
  const insertions: Insertion[] = [];
  walkTo(chunk.tree, offsetsOf(chunk.source, "repairSessionFileIfNeeded("), (call, ancestors) => {
    if (calleeName(call) !== "repairSessionFileIfNeeded") return;
    const statement = ancestors.findLast((ancestor) => ancestor.type === "ExpressionStatement");
    const block = ancestors.findLast((ancestor) => statementsOf(ancestor).length > 0);
    const options = asNode(asNodes(call["arguments"])[0], "ObjectExpression");
    const file = options === undefined ? undefined : memberPath(objectParts(options).values.get("sessionFile"));
    if (statement === undefined || block === undefined || !statementsOf(block).includes(statement) || file === undefined) {
      throw new Mismatch("repairSessionFileIfNeeded called in another way than as a statement with a sessionFile", call);
    }
    awaitableAt(ancestors, statement);
    rootsInScope([file], statement, ancestors);
    const text = `await (await import(${JSON.stringify(chunk.guardImport)})).repairSessionFile(${file});`;
    insertions.push({ point: "session-load", statement, where: "before", text });
  });
  return insertions;
}

/** The readers that call `assertCurrentSessionTranscriptHeader`. They are synchronous, hence the static import. */
function locateEntriesLoad(chunk: Chunk): readonly Insertion[] {
  const insertions: Insertion[] = [];
  walkTo(chunk.tree, offsetsOf(chunk.source, "assertCurrentSessionTranscriptHeader("), (call, ancestors) => {
    if (calleeName(call) !== "assertCurrentSessionTranscriptHeader") return;
    const depth = ancestors.findLastIndex(isFunction);
    const owner = ancestors[depth];
    const name = owner === undefined ? undefined : functionName(owner, ancestors[depth - 1]);
    if (name === undefined || !READERS.has(name)) {
      throw new Mismatch(`an unknown function "${name ?? "(none)"}" that refuses transcripts by their header`, call);
    }
    const reader = READERS.get(name);
    if (reader === undefined || owner === undefined) return;
    const body = asNode(owner["body"], "BlockStatement");
    const statement = body === undefined ? undefined : statementsOf(body)[0];
    if (statement === undefined) throw new Mismatch(`${name} without a body`, call);
    rootsInScope(reader.uses, statement, ancestors.slice(0, depth + 1));
    insertions.push({ point: "session-load", statement, where: "before", text: reader.text });
  });
  return insertions.length === 0 ? [] : [staticImport(chunk, "session-load", "loadTranscript", LOAD), ...insertions];
}

/** `readInOwner` of 2026.9.6: every asynchronous read of a transcript goes through it, to a worker that never rebuilds the index. */
function locateIndex(chunk: Chunk): readonly Insertion[] {
  const insertions: Insertion[] = [];
  walkTo(chunk.tree, offsetsOf(chunk.source, "readInOwner = "), (declarator, ancestors) => {
    if (declarator.type !== "VariableDeclarator" || memberPath(declarator["id"]) !== "readInOwner") return;
    const owner = ancestors.findLast(isFunction);
    const reader = asNode(declarator["init"], "ArrowFunctionExpression");
    const body = asNode(reader?.["body"], "BlockStatement");
    const statement = body === undefined ? undefined : statementsOf(body)[0];
    if (owner === undefined || functionName(owner, undefined) !== HYDRATION || reader === undefined || statement === undefined) {
      throw new Mismatch(`readInOwner outside of ${HYDRATION}`, declarator);
    }
    rootsInScope([...INDEX_USES, "readInWorker"], statement, [...ancestors, reader]);
    insertions.push({ point: "session-index", statement, where: "before", text: INDEX_TEXT });
  });
  return insertions.length === 0 ? [] : [staticImport(chunk, "session-index", "whenIndexed", INDEXED), ...insertions];
}

const HYDRATION = "prepareSessionTranscriptHydration";
const INDEX_USES = ["target", "signal", "startSessionTranscriptIndexReconcile", "toDatabaseOptions", "resolveSqliteTranscriptReadScope"];
const INDEX_TEXT =
  `readInWorker = ${INDEXED}(readInWorker, signal, () => startSessionTranscriptIndexReconcile(` +
  "{ ...toDatabaseOptions(resolveSqliteTranscriptReadScope(target)), preferredSessionId: target.sessionId }));";

function staticImport(chunk: Chunk, point: PointId, name: string, local: string): Insertion {
  const text = `import { ${name} as ${local} } from ${JSON.stringify(chunk.guardImport)};`;
  return { point, statement: chunk.tree, where: "top", text };
}

function functionName(owner: Node, parent: Node | undefined): string | undefined {
  return memberPath(owner["id"]) ?? (parent?.type === "MethodDefinition" ? memberPath(parent["key"]) : undefined);
}
