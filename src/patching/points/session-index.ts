/**
 * The read of a transcript with an outdated index. In 2026.9.6 a worker reads it, which never rebuilds the index; from
 * 2026.8.1 to 2026.9.5 the read starts the rebuild and fails the turn all the same.
 */
import {
  asNode,
  asNodes,
  isFunction,
  memberPath,
  findOffsets,
  findStatement,
  listStatements,
  walkTo,
} from "../source/ast.ts";
import {
  type Chunk,
  type Insertion,
  awaitableAt,
  guardCall,
  Mismatch,
  rootsInScope,
  staticImport,
} from "../source/insertion.ts";
import type { PatchPoint } from "../source/point.ts";

const ID = "session-index";
const INDEXED = "openclawIntegrityWhenIndexed";
const HYDRATION = "prepareSessionTranscriptHydration";
const OPEN = "SessionManager.open";
const USES = [
  "target",
  "signal",
  "startSessionTranscriptIndexReconcile",
  "toDatabaseOptions",
  "resolveSqliteTranscriptReadScope",
];
const TEXT =
  `readInWorker = ${INDEXED}(readInWorker, signal, () => startSessionTranscriptIndexReconcile(` +
  "{ ...toDatabaseOptions(resolveSqliteTranscriptReadScope(target)), preferredSessionId: target.sessionId }));";

export const sessionIndex: PatchPoint = {
  id: ID,
  prevents: 'turns that fail with "projection is rebuilding"',
  commit: "sessions: wait for the index of a session instead of failing the turn",
  why:
    "A message behind rows without ids, or with ids that occur twice, leaves the session's index outdated; the " +
    "next turns fail with " +
    '"projection is rebuilding", on 2026.9.6 for good.',
  dependsOn:
    `2026.9.6: readInOwner(readInProcess, readInWorker) in ${HYDRATION}; 2026.8.1 to 2026.9.5: the ` +
    `attempt's ${OPEN}(X.sessionTarget, ...)`,
  inserts:
    "2026.9.6: readInWorker = whenIndexed(readInWorker, signal, rebuild), which starts OpenClaw's own rebuild and " +
    "reads again; 2026.8.1 to 2026.9.5: await whenReadable(a small read) before it; both wait up to 10 s",
  needles: [`${HYDRATION}(`, "readInOwner = ", `${OPEN}(attempt.sessionTarget`],
  copies: { min: 0, max: 1 },
  essential: false,
  locate: (chunk) => [...asynchronousRead(chunk), ...synchronousRead(chunk)],
  proof: "l-header-version-1",
  provenance: {
    origin: "vendor",
    bugs: ["measured on 2026.8.2, 2026.9.3 and 2026.9.6"],
    forwarded: "no",
    lastUpdate: "2026-11-22",
    dropWhen: "upstream's asynchronous read starts the rebuild that its synchronous one starts",
  },
};

function asynchronousRead(chunk: Chunk): readonly Insertion[] {
  const insertions: Insertion[] = [];
  walkTo(chunk.tree, findOffsets(chunk.source, "readInOwner = "), (declarator, ancestors) => {
    if (declarator.type !== "VariableDeclarator" || memberPath(declarator["id"]) !== "readInOwner") return;
    const owner = ancestors.findLast(isFunction);
    const reader = asNode(declarator["init"], "ArrowFunctionExpression");
    const body = asNode(reader?.["body"], "BlockStatement");
    const statement = body === undefined ? undefined : listStatements(body)[0];
    if (
      owner === undefined ||
      memberPath(owner["id"]) !== HYDRATION ||
      reader === undefined ||
      statement === undefined
    ) {
      throw new Mismatch(`readInOwner outside of ${HYDRATION}`, declarator);
    }
    rootsInScope([...USES, "readInWorker"], statement, [...ancestors, reader]);
    insertions.push({ point: ID, statement, where: "before", text: TEXT });
  });
  return insertions.length === 0 ? [] : [staticImport(chunk, ID, "whenIndexed", INDEXED), ...insertions];
}

/**
 * Inserts a small read before `SessionManager.open(attempt.sessionTarget, ...)` in the attempt, which finds out whether
 * that would fail.
 */
function synchronousRead(chunk: Chunk): readonly Insertion[] {
  const insertions: Insertion[] = [];
  walkTo(chunk.tree, findOffsets(chunk.source, `${OPEN}(attempt.sessionTarget`), (call, ancestors) => {
    if (call.type !== "CallExpression" || memberPath(call["callee"]) !== OPEN) return;
    const target = memberPath(asNodes(call["arguments"])[0]);
    const place = findStatement(call, ancestors);
    if (target === undefined || place === undefined)
      throw new Mismatch(`${OPEN} in another place than a statement of its own`, call);
    awaitableAt(place.scope, place.statement);
    rootsInScope(["SessionManager", target], place.statement, place.scope);
    const read = `${target} && SessionManager.openBounded(${target}, { maxBytes: 1024, maxEvents: 1 })`;
    insertions.push({
      point: ID,
      statement: place.statement,
      where: "before",
      text: `await ${guardCall(chunk, "whenReadable", `() => ${read}`)};`,
    });
  });
  return insertions;
}
