/** The asynchronous read of a transcript: it goes to a worker that never rebuilds the session's index. */
import { asNode, isFunction, memberPath, offsetsOf, statementsOf, walkTo } from "../ast.ts";
import type { Chunk, Insertion } from "../insertion.ts";
import { Mismatch, rootsInScope, staticImport } from "../insertion.ts";
import type { PatchPoint } from "../point.ts";

const ID = "session-index";
const INDEXED = "openclawIntegrityWhenIndexed";
const HYDRATION = "prepareSessionTranscriptHydration";
const USES = ["target", "signal", "startSessionTranscriptIndexReconcile", "toDatabaseOptions", "resolveSqliteTranscriptReadScope"];
const TEXT =
  `readInWorker = ${INDEXED}(readInWorker, signal, () => startSessionTranscriptIndexReconcile(` +
  "{ ...toDatabaseOptions(resolveSqliteTranscriptReadScope(target)), preferredSessionId: target.sessionId }));";

export const sessionIndex: PatchPoint = {
  id: ID,
  why: "A message behind rows without ids leaves the session's index outdated. Nothing rebuilds it, so every later turn fails with \"projection is rebuilding\".",
  hangsOn: `readInOwner(readInProcess, readInWorker) in ${HYDRATION}`,
  inserts: "readInWorker = whenIndexed(readInWorker, signal, rebuild) as its first statement: starts OpenClaw's own rebuild, waits up to 5 s, reads again",
  needles: [`${HYDRATION}(`, "readInOwner = "],
  copies: { min: 0, max: 1 },
  essential: false,
  locate,
  proof: "l-header-version-1",
  provenance: {
    origin: "vendor",
    bugs: ["measured on 2026.9.6"],
    forwarded: "no",
    lastUpdate: "2026-11-22",
    dropWhen: "upstream's asynchronous read starts the rebuild that its synchronous one starts",
  },
};

function locate(chunk: Chunk): readonly Insertion[] {
  const insertions: Insertion[] = [];
  walkTo(chunk.tree, offsetsOf(chunk.source, "readInOwner = "), (declarator, ancestors) => {
    if (declarator.type !== "VariableDeclarator" || memberPath(declarator["id"]) !== "readInOwner") return;
    const owner = ancestors.findLast(isFunction);
    const reader = asNode(declarator["init"], "ArrowFunctionExpression");
    const body = asNode(reader?.["body"], "BlockStatement");
    const statement = body === undefined ? undefined : statementsOf(body)[0];
    if (owner === undefined || memberPath(owner["id"]) !== HYDRATION || reader === undefined || statement === undefined) {
      throw new Mismatch(`readInOwner outside of ${HYDRATION}`, declarator);
    }
    rootsInScope([...USES, "readInWorker"], statement, [...ancestors, reader]);
    insertions.push({ point: ID, statement, where: "before", text: TEXT });
  });
  return insertions.length === 0 ? [] : [staticImport(chunk, ID, "whenIndexed", INDEXED), ...insertions];
}
