/**
 * The places where a JSONL transcript is opened: OpenClaw's own repair, or the first read where a release has no repair
 * yet.
 */
import {
  type Node,
  type StatementPlace,
  asNode,
  asNodes,
  calleeName,
  isFunction,
  memberPath,
  objectParts,
  findOffsets,
  findStatement,
  walkTo,
} from "../source/ast.ts";
import { type Chunk, type Insertion, awaitableAt, guardCall, Mismatch, rootsInScope } from "../source/insertion.ts";

const REPAIR = "repairSessionFileIfNeeded";
const PREWARM = "prewarmSessionFile";
/** What OpenClaw names the parameters of an attempt. */
const ATTEMPT = "params";

/**
 * One insertion before each place where a session's file is repaired or, where nothing repairs it, read for the first
 * time.
 */
export function fileLoads(chunk: Chunk, point: string): readonly Insertion[] {
  return [...beforeRepair(chunk, point), ...beforePrewarm(chunk, point)];
}

/**
 * Inserts before `await repairSessionFileIfNeeded({ sessionFile: X, ... })`: OpenClaw gives up there on a file without
 * a header.
 */
function beforeRepair(chunk: Chunk, point: string): readonly Insertion[] {
  const insertions: Insertion[] = [];
  walkTo(chunk.tree, findOffsets(chunk.source, `${REPAIR}(`), (call, ancestors) => {
    if (calleeName(call) !== REPAIR) return;
    const options = asNode(asNodes(call["arguments"])[0], "ObjectExpression");
    const file = options === undefined ? undefined : memberPath(objectParts(options).values.get("sessionFile"));
    const place = enclosingStatement(call, ancestors);
    if (place === undefined || file === undefined || options === undefined) {
      throw new Mismatch(`${REPAIR} called in another way than with a sessionFile, in a statement of its own`, call);
    }
    insertions.push(insertionBefore(chunk, point, firstUsed(place, options), file, place.scope));
  });
  return insertions;
}

/** Inserts before `await prewarmSessionFile(X)` in functions that repair nothing (2026.1.29 to 2026.2.1). */
function beforePrewarm(chunk: Chunk, point: string): readonly Insertion[] {
  const insertions: Insertion[] = [];
  const repairs = findOffsets(chunk.source, `${REPAIR}(`);
  walkTo(chunk.tree, findOffsets(chunk.source, `${PREWARM}(`), (call, ancestors) => {
    if (calleeName(call) !== PREWARM) return;
    const owner = ancestors.findLast(isFunction);
    if (owner === undefined || repairs.some((offset) => owner.start <= offset && offset < owner.end)) return;
    const file = memberPath(asNodes(call["arguments"])[0]);
    const place = enclosingStatement(call, ancestors);
    if (place === undefined || file === undefined)
      throw new Mismatch(`${PREWARM} called in another way than as a statement with a file`, call);
    insertions.push(insertionBefore(chunk, point, place.statement, file, place.scope));
  });
  return insertions;
}

/** The statement of a call that stands alone or initialises a variable, so that a line can be inserted before it. */
function enclosingStatement(call: Node, ancestors: readonly Node[]): StatementPlace | undefined {
  const place = findStatement(call, ancestors);
  return place?.statement.type === "ExpressionStatement" || place?.statement.type === "VariableDeclaration"
    ? place
    : undefined;
}

/**
 * The repair, or the first of the declarations right before it whose variables it uses: those may read the file, and
 * must see it after the guard's repair.
 */
function firstUsed({ statement, siblings }: StatementPlace, options: Node): Node {
  const used = new Set([...objectParts(options).values.values()].flatMap((value) => memberPath(value) ?? []));
  let first = statement;
  for (const sibling of siblings.slice(0, siblings.indexOf(statement)).toReversed()) {
    const names =
      sibling.type === "VariableDeclaration" ? asNodes(sibling["declarations"]).map(({ id }) => memberPath(id)) : [];
    if (!names.some((name) => name !== undefined && used.has(name))) break;
    first = sibling;
  }
  return first;
}

function insertionBefore(
  chunk: Chunk,
  point: string,
  statement: Node,
  file: string,
  scope: readonly Node[],
): Insertion {
  awaitableAt(scope, statement);
  rootsInScope([file], statement, scope);
  const args = hasBudget(chunk, file, scope) ? `${file}, ${ATTEMPT}` : file;
  return { point, statement, where: "before", text: `await ${guardCall(chunk, "repairSessionFile", args)};` };
}

/** Whether the file is that of an attempt whose prompt OpenClaw counts before it sends it. */
function hasBudget({ source }: Chunk, file: string, scope: readonly Node[]): boolean {
  const owner = scope.findLast(isFunction);
  return (
    owner !== undefined &&
    file.startsWith(`${ATTEMPT}.`) &&
    [`${ATTEMPT}.contextTokenBudget`, `${ATTEMPT}.prompt`].every((use) =>
      source.slice(owner.start, owner.end).includes(use),
    )
  );
}
