/** The place where OpenClaw's gateway acknowledges a message of a client; the work on the message begins behind it. */
import {
  type Node,
  asNode,
  asNodes,
  memberPath,
  objectParts,
  findOffsets,
  findStatement,
  type StatementPlace,
  walkTo,
} from "../source/ast.ts";
import { type Chunk, type Insertion, Mismatch, awaitableAt, guardCall, rootsInScope } from "../source/insertion.ts";
import type { PatchPoint } from "../source/point.ts";
import { isInScope } from "../source/scope.ts";

const ID = "acknowledged-message";
const RESPOND = "respond";
const STARTED = "started";
/** How the call of RESPOND ends that acknowledges a message. */
const NEEDLE = ", { runId: clientRunId });";
/** True in releases that have stored the message by then, if its conversation has a session. */
const STORED = "pendingStageAttempted";
/** Where the releases have the pictures of the message. */
const PICTURES = ["parsedImages", "preparedUserTurn.replyOptionImages"];
/** What the guard takes of OpenClaw's description of a message. */
const TAKEN = ["SessionKey", "Provider", "RawBody", "MessageSid"];

export const acknowledgedMessage: PatchPoint = {
  id: ID,
  prevents: "messages that wait for a run and are lost when OpenClaw is killed or stopped",
  commit: "auto-reply: keep messages that wait for a run through a kill",
  why:
    "The gateway tells its client that it has a message, and has the message in memory alone: a kill in the next " +
    "moments loses it, and neither the model nor the person is told.",
  dependsOn:
    `${RESPOND}(true, { runId: clientRunId, status: "${STARTED}" }, ..., { runId: clientRunId }), or the name ` +
    "of such an object in its " +
    `place; const ctx = { ${TAKEN.join(", ")}, ... } before the call or behind it`,
  inserts:
    "before it: noteAccepted({ ctx, replyOptions: { runId, images } }), which journals the message; the call at the " +
    "beginning of the dispatch takes it over by the id of its run",
  needles: [NEEDLE],
  copies: { min: 0, max: 4 },
  essential: false,
  locate,
  proof: "test/recovery/messages.slow.test.ts",
  provenance: {
    origin: "vendor",
    bugs: [
      "measured: kill -9 at the acknowledgement of a first message, lost 10 of 10 times on 2026.2.3, " +
        "9 of 10 on 2026.9.6",
    ],
    forwarded: "not-needed",
    appliedUpstream: "2026.9.6 stores a message before it acknowledges it in a conversation that has a session",
    lastUpdate: "2026-11-28",
    dropWhen: "OpenClaw stores each message before it acknowledges it",
  },
};

function locate(chunk: Chunk): readonly Insertion[] {
  const insertions: Insertion[] = [];
  walkTo(chunk.tree, findOffsets(chunk.source, NEEDLE), (call, ancestors) => {
    if (call.type !== "CallExpression" || memberPath(call["callee"]) !== RESPOND) return;
    const [isTaken, answer] = asNodes(call["arguments"]);
    const place = findStatement(call, ancestors);
    if (isTaken?.["value"] !== true || !place || !isStarted(answer, place)) return;
    const { statement, scope } = place;
    awaitableAt(scope, statement);
    const isThere = (expression: string): boolean => isInScope(expression.split(".")[0]!, statement.start, scope);
    const pictures = PICTURES.find(isThere);
    const options = ["runId: clientRunId", ...(pictures === undefined ? [] : [`images: ${pictures}`])];
    const ctx = isThere("ctx") ? "ctx" : `ctx: ${descriptionIn(place)}`;
    const noted = `await ${guardCall(chunk, "noteAccepted", `{ ${ctx}, replyOptions: { ${options.join(", ")} } }`)};`;
    const text = isThere(STORED) ? `if (!${STORED}) ${noted}` : noted;
    insertions.push({ point: ID, statement, where: "before", text });
  });
  return insertions;
}

/** Whether the answer is an object, or the name of one, that says that the run of a message has started. */
function isStarted(answer: Node | undefined, place: StatementPlace): boolean {
  const object = answer?.type === "Identifier" ? declaredIn(place, memberPath(answer)) : answer;
  return object?.type === "ObjectExpression" && objectParts(object).values.get("status")?.["value"] === STARTED;
}

/** What OpenClaw makes its description of, behind the acknowledgement. */
function descriptionIn(place: StatementPlace): string {
  const ctx = asNode(declaredIn(place, "ctx"), "ObjectExpression");
  if (!ctx) throw new Mismatch("an acknowledgement without ctx = { ... } in its block", place.statement);
  const { values } = objectParts(ctx);
  const taken = TAKEN.map((name) => [name, memberPath(values.get(name)) ?? ""] as const);
  rootsInScope(
    taken.map(([, value]) => value),
    place.statement,
    place.scope,
  );
  return `{ ${taken.map(([name, value]) => `${name}: ${value}`).join(", ")} }`;
}

/** What a name of the block is declared to be. */
function declaredIn({ siblings }: StatementPlace, name: string | undefined): Node | undefined {
  const declared = siblings.flatMap(({ declarations }) => asNodes(declarations));
  return asNode(declared.find(({ id }) => memberPath(id) === name)?.["init"]);
}
