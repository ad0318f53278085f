/**
 * Finds the history pipeline of an attempt and of compaction: one block that sanitises a session's messages, limits
 * them and hands them to the agent. Both ends of it get one line.
 */
import type { Node } from "./ast.ts";
import { asNode, asNodes, calleeName, descendants, memberPath, objectParts, offsetsOf, statementsOf, walkTo } from "./ast.ts";
import type { Chunk, Insertion } from "./insertion.ts";
import { awaitableAt, Mismatch, rootsInScope } from "./insertion.ts";
import type { PointId } from "./points.ts";

interface Pipeline {
  readonly session: string;
  readonly load: Node;
  readonly sanitize: Node;
  readonly gate: Node;
  readonly call: Node;
  /** Ancestors of the block, and the block. */
  readonly scope: readonly Node[];
}

const KINDS: Readonly<Record<string, { readonly load: PointId; readonly gate: PointId }>> = {
  activeSession: { load: "attempt-history-load", gate: "attempt-history-gate" },
  session: { load: "compaction-history-load", gate: "compaction-history-gate" },
};

// A bundler adds $1 when two modules of one chunk share a name.
const named = (base: string): RegExp => new RegExp(String.raw`^${base}(\$\d+)?$`);
const LIMIT = named("limitHistoryTurns");
const SANITIZE = named("sanitizeSessionHistory");
const HISTORY_LIMIT = named("get(Dm)?HistoryLimitFromSessionKey");

/** The insertions of every pipeline in this chunk. Throws a Mismatch for a call of limitHistoryTurns it cannot place. */
export function locateHistory(chunk: Chunk): readonly Insertion[] {
  const insertions: Insertion[] = [];
  walkTo(chunk.tree, offsetsOf(chunk.source, "limitHistoryTurns"), (node, ancestors) => {
    if (!LIMIT.test(calleeName(node) ?? "")) return;
    const pipeline = pipelineOf(node, ancestors);
    const kind = KINDS[pipeline.session];
    if (kind === undefined) {
      throw new Mismatch(`a history that goes to "${pipeline.session}", which is neither activeSession nor session`, node);
    }
    const fields = contextFields(pipeline);
    for (const [point, at] of [[kind.load, "load"], [kind.gate, "gate"]] as const) {
      const statement = pipeline[at];
      awaitableAt(pipeline.scope, statement);
      rootsInScope([pipeline.session, ...fields.map(([, expression]) => expression)], statement, pipeline.scope);
      const context = contextLiteral(fields, chunk.release, point);
      const open = `(await import(${JSON.stringify(chunk.guardImport)}))`;
      insertions.push(
        at === "load"
          ? { point, statement, where: "before", text: `await ${open}.guardHistory(${pipeline.session}, ${context});` }
          : { point, statement, where: "after", text: `${open}.guardSession(${pipeline.session}, ${context});` },
      );
    }
  });
  return insertions;
}

function pipelineOf(call: Node, ancestors: readonly Node[]): Pipeline {
  for (let depth = ancestors.length - 1; depth >= 0; depth -= 1) {
    const block = ancestors[depth];
    const siblings = block === undefined ? [] : statementsOf(block);
    const here = siblings.findIndex((statement) => statement.start <= call.start && call.end <= statement.end);
    const sinks = siblings.slice(here + 1).flatMap((statement) => sinkOf(statement) ?? []);
    const sink = here < 0 ? undefined : sinks[0];
    if (sink === undefined) continue;
    const loads = siblings.slice(0, here).flatMap((statement) => loadOf(statement, sink.session) ?? []);
    const load = loads[0];
    if (loads.length !== 1 || load === undefined) {
      throw new Mismatch(
        `${loads.length} calls of sanitizeSessionHistory({ messages: ${sink.session}.messages }) before limitHistoryTurns`,
        call,
      );
    }
    return { ...sink, ...load, call, scope: ancestors.slice(0, depth + 1) };
  }
  throw new Mismatch("a call of limitHistoryTurns whose outcome goes to no agent", call);
}

/** `if (...) X.agent.replaceMessages(limited)` or `if (...) X.agent.state.messages = limited`. */
function sinkOf(statement: Node): { readonly session: string; readonly gate: Node } | undefined {
  if (statement.type !== "IfStatement" || asNode(statement["alternate"]) !== undefined) return undefined;
  const expression = asNode(asNode(statement["consequent"], "ExpressionStatement")?.["expression"]);
  const target = memberPath(expression?.type === "CallExpression" ? expression["callee"] : expression?.["left"]);
  const value = expression?.type === "CallExpression" ? asNodes(expression["arguments"])[0] : asNode(expression?.["right"]);
  const match = /^(\w+)\.agent\.(replaceMessages|state\.messages)$/.exec(target ?? "");
  if (match?.[1] === undefined || value?.type !== "Identifier" || value["name"] !== "limited") return undefined;
  return { session: match[1], gate: statement };
}

/** `const prior = await sanitizeSessionHistory({ ..., messages: X.messages })`. */
function loadOf(statement: Node, session: string): { readonly load: Node; readonly sanitize: Node } | undefined {
  if (statement.type !== "VariableDeclaration") return undefined;
  const init = asNode(asNodes(statement["declarations"])[0]?.["init"], "AwaitExpression");
  const call = asNode(init?.["argument"], "CallExpression");
  const options = call !== undefined && SANITIZE.test(calleeName(call) ?? "") ? asNodes(call["arguments"])[0] : undefined;
  if (options?.type !== "ObjectExpression") return undefined;
  return memberPath(objectParts(options).values.get("messages")) === `${session}.messages`
    ? { load: statement, sanitize: options }
    : undefined;
}

/** What the guard is told about the session: taken from what OpenClaw hands to its own two functions. */
function contextFields(pipeline: Pipeline): readonly (readonly [string, string])[] {
  const options = optionValues(pipeline.sanitize, pipeline.scope);
  const names = { sessionId: "sessionId", provider: "provider", modelId: "modelId", api: "modelApi" };
  const fields = Object.entries(names).map(([field, option]) => {
    const expression = memberPath(options.get(option));
    if (expression === undefined) throw new Mismatch(`no plain "${option}" in the options of sanitizeSessionHistory`, pipeline.load);
    return [field, expression] as const;
  });
  const limit = descendants(pipeline.call).find((node) => HISTORY_LIMIT.test(calleeName(node) ?? ""));
  const sessionKey = limit === undefined ? undefined : memberPath(asNodes(limit["arguments"])[0]);
  if (sessionKey === undefined) throw new Mismatch("no session key in the arguments of limitHistoryTurns", pipeline.call);
  return [...fields, ["sessionKey", sessionKey] as const];
}

/** The options of the call, with `...replayContext()` resolved to the object that the arrow function returns. */
function optionValues(options: Node, scope: readonly Node[]): ReadonlyMap<string, Node> {
  const { values, spreads } = objectParts(options);
  const all = new Map(values);
  for (const spread of spreads) {
    const name = calleeName(spread);
    for (const statement of scope.flatMap(statementsOf)) {
      const declarator = statement.type === "VariableDeclaration" ? asNodes(statement["declarations"])[0] : undefined;
      const body = asNode(asNode(declarator?.["init"], "ArrowFunctionExpression")?.["body"], "ObjectExpression");
      if (name === undefined || memberPath(declarator?.["id"]) !== name || body === undefined) continue;
      for (const [key, value] of objectParts(body).values) if (!all.has(key)) all.set(key, value);
    }
  }
  return all;
}

function contextLiteral(fields: readonly (readonly [string, string])[], release: string, point: PointId): string {
  const pairs = fields.map(([name, expression]) => (name === expression ? name : `${name}: ${expression}`));
  return `{ ${pairs.join(", ")}, release: ${JSON.stringify(release)}, point: ${JSON.stringify(point)} }`;
}
