/**
 * The place where OpenClaw begins with a message that its gateway or a channel has accepted: up to 2026.7 nothing on the
 * disk has the message before a run asks a model.
 */
import { type Node, asNode, asNodes, isFunction, memberPath, offsetsOf, statementsOf, walkTo } from "../source/ast.ts";
import { type Chunk, type Insertion, awaitableAt, guardCall } from "../source/insertion.ts";
import type { PatchPoint } from "../source/point.ts";

const ID = "accepted-message";
const DISPATCH = "dispatchReplyFromConfig";
const TAKEN = ["ctx", "dispatcher"];
const NEEDLE = `async function ${DISPATCH}(`;

export const acceptedMessage: PatchPoint = {
  id: ID,
  why:
    "A message is acknowledged, and is in memory alone until its run asks a model; a kill in between loses it, and neither the model nor the " +
    "person is told (to 2026.7; later releases keep a row of each accepted message).",
  dependsOn: `const { ctx, dispatcher } = params, at the beginning of async function ${DISPATCH}(params)`,
  inserts: "noteAccepted(params) before it, which journals the message until OpenClaw is done with it",
  needles: [NEEDLE],
  copies: { min: 0, max: 12 },
  essential: false,
  locate: (chunk) => beginnings(chunk),
  // The corpus cases contain no kill; test/recovery/accepted.slow.test.ts fails without this point.
  proof: "i-user-after-user",
  provenance: {
    origin: "vendor",
    bugs: ["measured on 2026.2.3: kill -9 within some 300 ms of the acknowledgement"],
    forwarded: "not-needed",
    appliedUpstream: "2026.8.1 keeps a row of each accepted message",
    lastUpdate: "2026-11-28",
    dropWhen: "no supported release is older than 2026.8.1",
  },
};

function beginnings(chunk: Chunk): readonly Insertion[] {
  const insertions: Insertion[] = [];
  walkTo(chunk.tree, offsetsOf(chunk.source, NEEDLE), (owner, ancestors) => {
    if (!isFunction(owner) || memberPath(owner["id"]) !== DISPATCH) return;
    const params = memberPath(asNodes(owner["params"])[0]);
    const body = asNode(owner["body"]);
    const first = body && statementsOf(body)[0];
    // From 2026.8.1 on the function only passes its params on.
    if (params === undefined || first?.type !== "VariableDeclaration" || !takes(first, params)) return;
    awaitableAt([...ancestors, owner], first);
    insertions.push({
      point: ID,
      statement: first,
      where: "before",
      text: `await ${guardCall(chunk, "noteAccepted", params)};`,
    });
  });
  return insertions;
}

/** Whether the statement takes the message and the dispatcher from the params. */
function takes(statement: Node, params: string): boolean {
  return asNodes(statement["declarations"]).some(({ id, init }) => {
    const taken = asNodes(asNode(id, "ObjectPattern")?.["properties"]).map(({ key }) => memberPath(key));
    return memberPath(init) === params && TAKEN.every((name) => taken.includes(name));
  });
}
