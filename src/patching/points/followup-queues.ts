/**
 * The map in which OpenClaw keeps the messages that wait for a run: in early releases a variable that nothing outside
 * of its file can reach.
 */
import { type Node, asNode, asNodes, memberPath, findOffsets, findStatement, walkTo } from "../source/ast.ts";
import { type Chunk, Mismatch } from "../source/insertion.ts";
import type { PatchPoint } from "../source/point.ts";

const ID = "followup-queues";
const QUEUES = "FOLLOWUP_QUEUES";
const KEYWORD = "const ";
const NEEDLE = `${KEYWORD}${QUEUES}`;
// A bundler adds $1 when two modules of one chunk share a name.
const NAME = new RegExp(String.raw`^${QUEUES}(\$\d+)?$`);
/** The guard looks there. */
const PUBLISHED = `Symbol.for("openclaw-integrity.followupQueues")`;

export const followupQueues: PatchPoint = {
  id: ID,
  prevents: "messages that wait for a run and are lost when OpenClaw is killed or stopped",
  commit: "auto-reply: keep messages that wait for a run through a kill",
  why:
    "A message that is accepted while a run goes on waits in a map of the process alone; a kill or a stop loses it, " +
    "and neither the model nor the person is told (to 2026.3.11; later releases have the map where the guard reaches " +
    "it).",
  dependsOn: `const ${QUEUES} = new Map()`,
  inserts: "after it: adds the map to a list of the process, in which the guard finds it",
  needles: [NEEDLE],
  copies: { min: 0, max: 12 },
  essential: false,
  locate: (chunk) =>
    mapsIn(chunk).map(({ name, statement }) => ({
      point: ID,
      statement,
      where: "after",
      text: `Reflect.set(globalThis, ${PUBLISHED}, [...(Reflect.get(globalThis, ${PUBLISHED}) ?? []), ${name}]);`,
    })),
  proof: "test/recovery/waiting.slow.test.ts",
  provenance: {
    origin: "vendor",
    bugs: ["measured on 2026.2.3: kill -9, or /stop on a channel, while a message waits behind a run"],
    forwarded: "not-needed",
    appliedUpstream: "2026.8.1 keeps a row of each accepted message",
    lastUpdate: "2026-11-27",
    dropWhen: "no supported release is older than 2026.3.13",
  },
};

/** The declarations of the map of the module; those that take it from the process are left out. */
function mapsIn(chunk: Chunk): readonly { readonly name: string; readonly statement: Node }[] {
  const maps = new Map<Node, string>();
  const names = findOffsets(chunk.source, NEEDLE).map((offset) => offset + KEYWORD.length);
  walkTo(chunk.tree, names, (node, ancestors) => {
    if (node.type !== "VariableDeclarator") return;
    const name = memberPath(node["id"]) ?? "";
    const made = asNode(node["init"], "NewExpression");
    if (!NAME.test(name) || made === undefined) return;
    if (memberPath(made["callee"]) !== "Map" || asNodes(made["arguments"]).length > 0)
      throw new Mismatch(`${name} that is no empty Map`, node);
    const statement = findStatement(node, ancestors)?.statement;
    if (statement !== undefined) maps.set(statement, name);
  });
  return [...maps].map(([statement, name]) => ({ name, statement }));
}
