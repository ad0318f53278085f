/**
 * The place where an append in 2026.9.6 leaves the session's projection outdated: it stays so when a kill comes before
 * the rebuild that follows the commit.
 */
import {
  type Node,
  asNode,
  asNodes,
  calleeName,
  isFunction,
  memberPath,
  findOffsets,
  findStatement,
  listStatements,
  walkTo,
} from "../source/ast.ts";
import { type Chunk, type Insertion, Mismatch, rootsInScope, staticImport } from "../source/insertion.ts";
import type { PatchPoint } from "../source/point.ts";

const ID = "session-projection";
const INDEX = "openclawIntegrityIndexOutOfOrder";
const APPENDER = "createTranscriptIndexAppenderInTransaction";
const PREPARE = "prepareSessionTranscriptProjectionAppend";
const MARK_DIRTY = "markSessionTranscriptIndexDirtyInTransaction";
const FUNCTIONS = [
  "extractTranscriptIndexEntry",
  "hasTranscriptMessage",
  "isCanonicalSessionTranscriptEntry",
  "parseSessionTranscriptTreeEntry",
  "readProjectionSource",
  "readSessionTranscriptProjectionState",
  "reconcileSessionTranscriptIndexInTransaction",
  "replaceSessionTranscriptIndexSuffixInTransaction",
  "scanSessionTranscriptTree",
  "selectSessionTranscriptTreePathNodes",
  "shouldProjectActiveEvent",
  "shouldRebuildSessionTranscriptIndexSynchronously",
  "transcriptEventContextEligibility",
];
const TEXT =
  `if (!append) { const indexed = ${INDEX}(append, { db, sessionId, seq: params.seq, event: params.event, ` +
  `watermark, batch: applyForwardIndex }, { ${FUNCTIONS.join(", ")} }); ` +
  "if (indexed) { watermark = indexed; return false; } }";

export const sessionProjection: PatchPoint = {
  id: ID,
  prevents: 'turns that fail with "projection is rebuilding"',
  commit: "sessions: wait for the index of a session instead of failing the turn",
  why:
    "A branch, a leaf control or a row aside leaves the session's index outdated until a job after the commit " +
    "has rebuilt it; when the process is killed " +
    'before that, turns without a gateway fail with "projection is rebuilding" for good, and `openclaw doctor ' +
    "--fix` does not help.",
  dependsOn:
    `const append = ${PREPARE}(...) with if (!append) { watermark = ${MARK_DIRTY}(...) } after it, ` +
    `in ${APPENDER}; 2026.9.6 (earlier releases cannot replace a part of the index)`,
  inserts:
    "if (!append) { indexOutOfOrder(...), and when that has brought the index up to date in the append's own " +
    "transaction, watermark = it; return false }",
  needles: [`function ${APPENDER}(`],
  copies: { min: 0, max: 1 },
  essential: false,
  locate: (chunk) => {
    const insertions = outdatedBy(chunk).map(({ statement, scope }): Insertion => {
      rootsInScope(
        ["append", "db", "sessionId", "params", "watermark", "applyForwardIndex", ...FUNCTIONS],
        statement,
        scope,
      );
      return { point: ID, statement, where: "before", text: TEXT };
    });
    return insertions.length === 0 ? [] : [staticImport(chunk, ID, "indexOutOfOrder", INDEX), ...insertions];
  },
  proof: "test/projection/killed.heavy.test.ts",
  provenance: {
    origin: "vendor",
    bugs: ["measured on 2026.9.6: kill -9 behind a branch append; after it every `openclaw agent --local` fails"],
    forwarded: "no",
    lastUpdate: "2026-11-22",
    dropWhen: "upstream brings the index up to date in the transaction of the append, or waits for it where it is read",
  },
};

/** The statement `if (!append) { watermark = mark...(...); ... }` in the appender. */
function outdatedBy(chunk: Chunk): readonly { readonly statement: Node; readonly scope: readonly Node[] }[] {
  const places: { statement: Node; scope: readonly Node[] }[] = [];
  walkTo(chunk.tree, findOffsets(chunk.source, `append = ${PREPARE}(`), (declarator, ancestors) => {
    if (declarator.type !== "VariableDeclarator" || memberPath(declarator["id"]) !== "append") return;
    const place = findStatement(declarator, ancestors);
    const next = place?.siblings[place.siblings.indexOf(place.statement) + 1];
    if (place === undefined || next === undefined || !marksDirty(next)) return;
    if (!ancestors.some((ancestor) => isFunction(ancestor) && memberPath(ancestor["id"]) === APPENDER))
      throw new Mismatch(`${PREPARE} marks the index outside of ${APPENDER}`, declarator);
    places.push({ statement: next, scope: place.scope });
  });
  return places;
}

function marksDirty(statement: Node): boolean {
  const test = statement.type === "IfStatement" ? asNode(statement["test"], "UnaryExpression") : undefined;
  const body = asNode(statement["consequent"], "BlockStatement");
  if (test?.["operator"] !== "!" || memberPath(test["argument"]) !== "append" || body === undefined) return false;
  const assignment = asNode(listStatements(body)[0]?.["expression"], "AssignmentExpression");
  const call = asNode(assignment?.["right"], "CallExpression");
  return (
    memberPath(assignment?.["left"]) === "watermark" &&
    call !== undefined &&
    calleeName(call) === MARK_DIRTY &&
    asNodes(call["arguments"]).length === 2
  );
}
