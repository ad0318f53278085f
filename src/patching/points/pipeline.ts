/**
 * Finds the history pipelines of an attempt and of compaction: a block that sanitises a session's messages, limits them
 * and passes them to the agent. It is the same in every release since 2026.1.29, in as many copies as the bundler made.
 */
import {
  type Node,
  asNode,
  asNodes,
  callsIn,
  calleeName,
  descendants,
  memberPath,
  objectParts,
  findOffsets,
  listStatements,
  walkTo,
} from "../source/ast.ts";
import { type Chunk, Mismatch } from "../source/insertion.ts";
import { isInScope } from "../source/scope.ts";

/** The names of the session variables in the two pipelines. */
export type PipelineSession = "activeSession" | "session";

/** A pipeline, with the data of its session that the guard gets. */
export interface Pipeline {
  /** Name of the session variable. */
  readonly session: string;
  /** The statement that sanitises the stored messages. */
  readonly load: Node;
  /** The statement that passes the limited messages to the agent. */
  readonly gate: Node;
  /** Ancestors of the block, and the block. */
  readonly scope: readonly Node[];
  /** Fields of the guard's context, each with its expression. */
  readonly fields: readonly (readonly [string, string])[];
}

// A bundler adds $1 when two modules of one chunk share a name.
const named = (base: string): RegExp => new RegExp(String.raw`^${base}(\$\d+)?$`);
const LIMIT = named("limitHistoryTurns");
const SANITIZE = named("sanitizeSessionHistory");
const HISTORY_LIMIT = named("get(Dm)?HistoryLimitFromSessionKey");
const SESSIONS: readonly string[] = ["activeSession", "session"] satisfies readonly PipelineSession[];

const found = new WeakMap<Node, readonly Pipeline[]>();

/** The pipelines of a chunk. Throws a Mismatch for a call of limitHistoryTurns outside of them. */
export function pipelinesIn(chunk: Chunk): readonly Pipeline[] {
  const known = found.get(chunk.tree);
  if (known !== undefined) return known;
  const pipelines: Pipeline[] = [];
  walkTo(chunk.tree, findOffsets(chunk.source, "limitHistoryTurns"), (node, ancestors) => {
    if (!LIMIT.test(calleeName(node) ?? "")) return;
    const pipeline = findPipeline(chunk, node, ancestors);
    if (!SESSIONS.includes(pipeline.session)) {
      throw new Mismatch(
        `a history that goes to "${pipeline.session}", which is neither activeSession nor session`,
        node,
      );
    }
    pipelines.push(pipeline);
  });
  found.set(chunk.tree, pipelines);
  return pipelines;
}

function findPipeline(chunk: Chunk, call: Node, ancestors: readonly Node[]): Pipeline {
  for (let depth = ancestors.length - 1; depth >= 0; depth -= 1) {
    const block = ancestors[depth];
    const siblings = block === undefined ? [] : listStatements(block);
    const here = siblings.findIndex((statement) => statement.start <= call.start && call.end <= statement.end);
    const sinks = siblings.slice(here + 1).flatMap((statement) => findSink(statement) ?? []);
    const sink = here < 0 ? undefined : sinks[0];
    if (sink === undefined) continue;
    const loads = siblings.slice(0, here).flatMap((statement) => findLoads(statement, sink.session));
    const load = loads[0];
    if (loads.length !== 1 || load === undefined) {
      throw new Mismatch(
        `${loads.length} calls of sanitizeSessionHistory({ messages: ${sink.session}.messages }) before ` +
          "limitHistoryTurns",
        call,
      );
    }
    const scope = ancestors.slice(0, depth + 1);
    return { ...sink, load: load.statement, scope, fields: contextFields(load, call, scope, chunk.source) };
  }
  throw new Mismatch("a call of limitHistoryTurns whose outcome goes to no agent", call);
}

/**
 * Reads `if (...) X.agent.replaceMessages(limited)` or `if (...) X.agent.state.messages = limited`, with braces or
 * without; undefined for another statement.
 */
function findSink(statement: Node): { readonly session: string; readonly gate: Node } | undefined {
  if (statement.type !== "IfStatement" || asNode(statement["alternate"]) !== undefined) return undefined;
  const body = asNode(statement["consequent"]);
  const only = body?.type === "BlockStatement" && listStatements(body).length === 1 ? listStatements(body)[0] : body;
  const expression = asNode(asNode(only, "ExpressionStatement")?.["expression"]);
  const target = memberPath(expression?.type === "CallExpression" ? expression["callee"] : expression?.["left"]);
  const value =
    expression?.type === "CallExpression" ? asNodes(expression["arguments"])[0] : asNode(expression?.["right"]);
  const match = /^(\w+)\.agent\.(replaceMessages|state\.messages)$/.exec(target ?? "");
  if (match?.[1] === undefined || value?.type !== "Identifier" || value["name"] !== "limited") return undefined;
  return { session: match[1], gate: statement };
}

interface Load {
  readonly statement: Node;
  /** The options of sanitizeSessionHistory. */
  readonly options: Node;
}

/**
 * The calls of `sanitizeSessionHistory({ ..., messages: X.messages })` in a statement, alone or inside another call.
 */
function findLoads(statement: Node, session: string): readonly Load[] {
  return callsIn(statement, SANITIZE).flatMap((call) => {
    const options = asNode(asNodes(call["arguments"])[0], "ObjectExpression");
    if (options === undefined || memberPath(objectParts(options).values.get("messages")) !== `${session}.messages`)
      return [];
    return [{ statement, options }];
  });
}

/** The fields of the guard's context, taken from the arguments that OpenClaw passes to its own two functions. */
function contextFields(
  load: Load,
  limitCall: Node,
  scope: readonly Node[],
  source: string,
): readonly (readonly [string, string])[] {
  const options = optionValues(load.options, scope);
  const names = { sessionId: "sessionId", provider: "provider", modelId: "modelId", api: "modelApi" };
  const fields = Object.entries(names).map(([field, option]) => {
    const expression = memberPath(options.get(option));
    if (expression === undefined)
      throw new Mismatch(`no plain "${option}" in the options of sanitizeSessionHistory`, load.statement);
    return [field, expression] as const;
  });
  const limit = descendants(limitCall).find((node) => HISTORY_LIMIT.test(calleeName(node) ?? ""));
  const sessionKey = limit === undefined ? undefined : memberPath(asNodes(limit["arguments"])[0]);
  if (sessionKey === undefined) throw new Mismatch("no session key in the arguments of limitHistoryTurns", limitCall);
  return [
    ...fields,
    ["sessionKey", sessionKey] as const,
    ...replyFields(sessionKey, load.statement.start, scope, source),
    ...supersedingFields(sessionKey, load.statement.start, scope),
    ...(isInScope(TIMEOUT, load.statement.start, scope) ? [[TIMEOUT, TIMEOUT] as const] : []),
  ];
}

/** The message of an earlier run that OpenClaw has taken off the path, for this run to ask it in its prompt. */
const ORPHAN = "orphanRepair";

function supersedingFields(
  sessionKey: string,
  at: number,
  scope: readonly Node[],
): readonly (readonly [string, string])[] {
  const owner = ownerParameter(sessionKey);
  if (owner === undefined || !isInScope(ORPHAN, at, scope)) return [];
  return [
    ["runId", `${owner}.runId`],
    [ORPHAN, ORPHAN],
  ];
}

/** How long OpenClaw waits for a compaction, in milliseconds, in releases that stop one by a timer of its own. */
const TIMEOUT = "compactionTimeoutMs";

/** The parameters that have the session key. */
function ownerParameter(sessionKey: string): string | undefined {
  return /^(\w+)\.sessionKey$/.exec(sessionKey)?.[1];
}

/** What tells a run that answers somebody from those that OpenClaw makes for itself. */
const OF_REPLY = ["messageProvider", "groupId", "blockReplyBreak"];
/** What the run answers: tells which of the messages that waited it has taken. */
const PROMPT = "prompt";
/** What OpenClaw ends an attempt by, with a reason that tells its own time limit from a person's stop. */
const ABORTS = "runAbortController";

/**
 * These fields of the parameters that have the session key, where the same function of OpenClaw's reads each of them:
 * in the attempts of releases before 2026.8. Since 2026.4 they ask again by themselves after an answer without words.
 */
function replyFields(
  sessionKey: string,
  at: number,
  scope: readonly Node[],
  source: string,
): readonly (readonly [string, string])[] {
  const owner = ownerParameter(sessionKey);
  const attempt = scope.findLast(({ type }) => type === "FunctionDeclaration");
  if (owner === undefined || attempt === undefined) return [];
  const text = source.slice(attempt.start, attempt.end);
  const fields = OF_REPLY.map((name): readonly [string, string] => [name, `${owner}.${name}`]);
  const isRead = (name: string): boolean => new RegExp(String.raw`\b${owner}\.${name}\b`).test(text);
  if (!OF_REPLY.every(isRead)) return [];
  if (isRead(PROMPT)) fields.push([PROMPT, `${owner}.${PROMPT}`]);
  return isInScope(ABORTS, at, scope) ? [...fields, ["signal", `${ABORTS}.signal`]] : fields;
}

/** The options of the call, with `...replayContext()` resolved to the object that the arrow function returns. */
function optionValues(options: Node, scope: readonly Node[]): ReadonlyMap<string, Node> {
  const { values, spreads } = objectParts(options);
  const all = new Map(values);
  for (const spread of spreads) {
    const name = calleeName(spread);
    for (const statement of scope.flatMap(listStatements)) {
      const declarator = statement.type === "VariableDeclaration" ? asNodes(statement["declarations"])[0] : undefined;
      const body = asNode(asNode(declarator?.["init"], "ArrowFunctionExpression")?.["body"], "ObjectExpression");
      if (name === undefined || memberPath(declarator?.["id"]) !== name || body === undefined) continue;
      for (const [key, value] of objectParts(body).values) if (!all.has(key)) all.set(key, value);
    }
  }
  return all;
}
