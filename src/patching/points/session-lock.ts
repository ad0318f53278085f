/**
 * The place where OpenClaw waits for the lock of sessions.json: a lock that a killed process left behind is respected
 * for thirty seconds.
 */
import {
  type Node,
  asNode,
  asNodes,
  isFunction,
  memberPath,
  findOffsets,
  listStatements,
  walkTo,
} from "../source/ast.ts";
import { type Chunk, guardCall, Mismatch } from "../source/insertion.ts";
import type { PatchPoint } from "../source/point.ts";

const ID = "session-lock";
const REFUSAL = "timeout acquiring session store lock";
const LOCK = "lockPath";

export const sessionLock: PatchPoint = {
  id: ID,
  prevents: "messages that fail because of the lock of a killed process",
  commit: "sessions: remove the lock of a process that is gone",
  why:
    "A process that is killed while it writes sessions.json leaves its lock behind; for thirty seconds every message " +
    "fails after ten (to 2026.2.9; later releases ask whether the process lives).",
  dependsOn: `const ${LOCK} = ... in the async function that throws "${REFUSAL}"`,
  inserts: `await freeDeadLock(${LOCK}) after it: removes a lock whose process is gone`,
  needles: [REFUSAL],
  copies: { min: 0, max: 8 },
  essential: false,
  locate: (chunk) =>
    locksIn(chunk).map((statement) => ({
      point: ID,
      statement,
      where: "after",
      text: `await ${guardCall(chunk, "freeDeadLock", LOCK)};`,
    })),
  proof: "test/recovery/dead-lock.slow.test.ts",
  provenance: {
    origin: "vendor",
    bugs: ["found by `npm run trial chaos`: a gateway of 2026.2.3, seed 20261123, episode 3"],
    forwarded: "not-needed",
    appliedUpstream: "2026.2.12 or thereabouts: the lock of a dead process is stale",
    lastUpdate: "2026-11-22",
    dropWhen: "no supported release is older than 2026.2.17",
  },
};

/** The declaration of the lock's path in each function that throws this error. */
function locksIn(chunk: Chunk): readonly Node[] {
  const found = new Set<Node>();
  walkTo(chunk.tree, findOffsets(chunk.source, REFUSAL), (node, ancestors) => {
    if (node.type !== "TemplateElement" && node.type !== "Literal") return;
    const owner = ancestors.findLast(isFunction);
    const body = asNode(owner?.["body"]);
    const declaration =
      body === undefined
        ? undefined
        : listStatements(body).find(
            (statement) =>
              statement.type === "VariableDeclaration" &&
              asNodes(statement["declarations"]).some(({ id }) => memberPath(id) === LOCK),
          );
    if (owner?.["async"] !== true || declaration === undefined)
      throw new Mismatch(`"${REFUSAL}" thrown elsewhere than in an async function with ${LOCK}`, node);
    found.add(declaration);
  });
  return [...found];
}
