/**
 * The place where OpenClaw begins with a message that its gateway or a channel has accepted: nothing on the disk has
 * the message before a run asks a model (up to 2026.7), or before its conversation is prepared.
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
import { type Chunk, type Insertion, Mismatch, awaitableAt, guardCall } from "../source/insertion.ts";
import type { PatchPoint } from "../source/point.ts";

const ID = "accepted-message";
const DISPATCH = "dispatchReplyFromConfig";
const TAKEN = ["ctx", "dispatcher"];
const TICKET = "reserveReplyAdmissionTicket";
const NEEDLE = `async function ${DISPATCH}`;
const COUNTS = "dispatcher.getQueuedCounts()";
/** The mark of a dispatcher whose message OpenClaw drops; the guard reads the symbol. */
const DROPPED = "openclaw-integrity.dropped";
/** Ends the dispatch of a message that meets another run of its conversation, which a stop has not ended yet. */
const BUSY = "finishReplyOperationBusyDispatch";
const BUSY_NEEDLE = `const ${BUSY} = (`;

export const acceptedMessage: PatchPoint = {
  id: ID,
  prevents: "messages that wait for a run and are lost when OpenClaw is killed or stopped",
  commit: "auto-reply: keep messages that wait for a run through a kill",
  why:
    "A message is acknowledged, and is in memory alone until its run asks a model (to 2026.7), or its conversation " +
    "is prepared (from 2026.8.1 on a row has it then); a kill or a stop in between loses it, and neither the model " +
    "nor the person is told.",
  dependsOn:
    `const { ctx, dispatcher } = params, at the beginning of async function ${DISPATCH}(params), or const ticket = ` +
    `${TICKET}(...) at that of ${DISPATCH}WithQueuePolicy(params, ...); from 2026.5 on ${BUSY} = (opts) => ` +
    "{...} with its dispatcher.getQueuedCounts()",
  inserts:
    "noteAccepted(params) before the former, which journals the message until OpenClaw is done with it, and waits " +
    "until one before it has its session; noteAccepted(params, ticket) behind the latter, which waits for nothing; a " +
    "mark on the dispatcher in the last, so that what OpenClaw drops there stays journalled",
  needles: [NEEDLE, BUSY_NEEDLE],
  copies: { min: 0, max: 12 },
  essential: false,
  locate: (chunk) => [...locateBeginnings(chunk), ...locateDrops(chunk)],
  proof: "test/recovery/messages.slow.test.ts",
  provenance: {
    origin: "vendor",
    bugs: [
      "measured on 2026.2.3: kill -9 within some 300 ms of the acknowledgement",
      "measured on 2026.2.3: of two first messages of a conversation within 18 ms, one is in no later request, " +
        "11 of 14 times",
      "measured on 2026.9.6: chat.abort within some 30 ms of the acknowledgement, and the message behind such a stop",
    ],
    forwarded: "not-needed",
    appliedUpstream: "no; 2026.8.1 keeps a row of each accepted message from a later moment on",
    lastUpdate: "2026-11-28",
    dropWhen: "OpenClaw has a row of a message before it acknowledges it",
  },
};

/**
 * The beginnings of a dispatch, first without a ticket, then with one (from 2026.8.1 on):
 *
 *     async function dispatchReplyFromConfig(params) {
 *       await <guard>.noteAccepted(params);                    inserted
 *       const { ctx, dispatcher } = params;
 *
 *     async function dispatchReplyFromConfigWithQueuePolicy(params, ...) {
 *       const ticket = reserveReplyAdmissionTicket(...);
 *       await <guard>.noteAccepted(params, ticket);            inserted
 */
function locateBeginnings(chunk: Chunk): readonly Insertion[] {
  const insertions: Insertion[] = [];
  walkTo(chunk.tree, findOffsets(chunk.source, NEEDLE), (owner, ancestors) => {
    if (!isFunction(owner) || !memberPath(owner["id"])?.startsWith(DISPATCH)) return;
    const params = memberPath(asNodes(owner["params"])[0]);
    const body = asNode(owner["body"]);
    if (params === undefined || !body) return;
    const [first, second] = listStatements(body);
    if (first?.type !== "VariableDeclaration") return;
    // A ticket is the message's place among those of its conversation, which it has to have at once.
    const ticket = callee(first) === TICKET ? memberPath(asNodes(first["declarations"])[0]?.["id"]) : undefined;
    const statement = destructures(first, params) ? first : ticket === undefined ? undefined : second;
    if (!statement) return;
    awaitableAt([...ancestors, owner], statement);
    insertions.push({
      point: ID,
      statement,
      where: "before",
      text: `await ${guardCall(chunk, "noteAccepted", [params, ticket].filter(Boolean).join(", "))};`,
    });
  });
  return insertions;
}

/**
 * The places that drop a message without a word, while no model was asked: `recordAgentDispatchCompleted` is set in the
 * options once one was.
 */
function locateDrops(chunk: Chunk): readonly Insertion[] {
  const insertions: Insertion[] = [];
  const names = findOffsets(chunk.source, BUSY_NEEDLE).map((offset) => offset + "const ".length);
  walkTo(chunk.tree, names, (declarator) => {
    const owner = asNode(declarator["init"], "ArrowFunctionExpression");
    if (declarator.type !== "VariableDeclarator" || memberPath(declarator["id"]) !== BUSY || !owner) return;
    const options = memberPath(asNodes(owner["params"])[0]);
    const body = asNode(owner["body"]);
    const [statement] = body ? listStatements(body) : [];
    if (!body || !statement || options === undefined) return;
    if (!chunk.source.slice(body.start, body.end).includes(COUNTS))
      throw new Mismatch(`${BUSY} without ${COUNTS}`, declarator);
    insertions.push({
      point: ID,
      statement,
      where: "before",
      text:
        `if (!${options}?.recordAgentDispatchCompleted) Reflect.set(dispatcher, ` +
        `Symbol.for(${JSON.stringify(DROPPED)}), true);`,
    });
  });
  return insertions;
}

/** Whether the statement takes the message and the dispatcher from the params. */
function destructures(statement: Node, params: string): boolean {
  return asNodes(statement["declarations"]).some(({ id, init }) => {
    const names = asNodes(asNode(id, "ObjectPattern")?.["properties"]).map(({ key }) => memberPath(key));
    return memberPath(init) === params && TAKEN.every((name) => names.includes(name));
  });
}

/** The function whose result the statement declares. */
function callee(statement: Node): string | undefined {
  return memberPath(asNode(asNodes(statement["declarations"])[0]?.["init"], "CallExpression")?.["callee"]);
}
