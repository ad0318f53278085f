/** A thin typed layer over acorn for reading patch points. */
import { parse as acornParse } from "acorn";
import type { Node as AcornNode } from "acorn";

/** An ESTree node; its properties are unknown until one of the functions below has checked them. */
export interface Node extends AcornNode {
  readonly [property: string]: unknown;
}

/** Parses a chunk of OpenClaw's dist, which is always an ES module. */
export function parseModule(source: string): Node {
  return acornParse(source, { ecmaVersion: "latest", sourceType: "module", allowHashBang: true }) as unknown as Node;
}

/** Narrows a property value to a node, of one of the given types when any are named. */
export function asNode(value: unknown, ...types: readonly string[]): Node | undefined {
  if (typeof value !== "object" || value === null || !("type" in value)) return undefined;
  const node = value as Node;
  return types.length === 0 || types.includes(node.type) ? node : undefined;
}

/** Narrows a property value to a list of nodes; holes and other values are left out. */
export function asNodes(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.flatMap((item) => asNode(item) ?? []) : [];
}

/**
 * Calls `visit` for every node that covers one of the offsets, with its ancestors, outermost first. Other nodes are
 * skipped: a chunk has a million nodes, and only a few contain a patch point.
 */
export function walkTo(
  root: Node,
  offsets: readonly number[],
  visit: (node: Node, ancestors: readonly Node[]) => void,
): void {
  const ancestors: Node[] = [];
  const sorted = offsets.toSorted((left, right) => left - right);
  const step = (node: Node): void => {
    const first = sorted[firstFrom(sorted, node.start)];
    if (first === undefined || first >= node.end) return;
    visit(node, ancestors);
    ancestors.push(node);
    for (const child of childNodes(node)) step(child);
    ancestors.pop();
  };
  step(root);
}

/**
 * The index of the first of the sorted offsets that is not below `start`: a file may have a hundred thousand of them.
 */
function firstFrom(sorted: readonly number[], start: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < start) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The statement that contains a node, in the innermost block. */
export interface StatementPlace {
  readonly statement: Node;
  readonly siblings: readonly Node[];
  /** Ancestors of the block, and the block. */
  readonly scope: readonly Node[];
}

/** Finds the statement that contains a node; undefined when the node is in no block. */
export function findStatement(node: Node, ancestors: readonly Node[]): StatementPlace | undefined {
  const depth = ancestors.findLastIndex((ancestor) => listStatements(ancestor).length > 0);
  const block = ancestors[depth];
  const siblings = block === undefined ? [] : listStatements(block);
  const statement = siblings.find(({ start, end }) => start <= node.start && node.end <= end);
  return statement === undefined ? undefined : { statement, siblings, scope: ancestors.slice(0, depth + 1) };
}

/** Every node below and including `root`. */
export function descendants(root: Node): readonly Node[] {
  return [root, ...childNodes(root).flatMap(descendants)];
}

/** The calls of a function of that name in `root`, not those in functions inside it. */
export function callsIn(root: Node, name: RegExp): readonly Node[] {
  const ownCall = name.test(calleeName(root) ?? "") ? [root] : [];
  return [...ownCall, ...childNodes(root).flatMap((child) => (isFunction(child) ? [] : callsIn(child, name)))];
}

function childNodes(node: Node): readonly Node[] {
  return Object.values(node).flatMap((value) => (Array.isArray(value) ? asNodes(value) : (asNode(value) ?? [])));
}

/** All offsets at which a text occurs in another. */
export function findOffsets(source: string, needle: string): readonly number[] {
  const offsets: number[] = [];
  for (let at = source.indexOf(needle); at >= 0; at = source.indexOf(needle, at + 1)) offsets.push(at);
  return offsets;
}

/** `a.b.c` for a plain member chain (of identifiers, the first may be `this`), else undefined. */
export function memberPath(value: unknown): string | undefined {
  const node = asNode(value);
  if (node?.type === "Identifier") return String(node["name"]);
  if (node?.type === "ThisExpression") return "this";
  if (node?.type !== "MemberExpression" || node["computed"] === true || node["optional"] === true) return undefined;
  const object = memberPath(node["object"]);
  const property = asNode(node["property"], "Identifier");
  return object === undefined || property === undefined ? undefined : `${object}.${String(property["name"])}`;
}

/** The name of a directly called function: `name(...)`. */
export function calleeName(node: Node): string | undefined {
  const callee = node.type === "CallExpression" ? asNode(node["callee"], "Identifier") : undefined;
  return callee === undefined ? undefined : String(callee["name"]);
}

/** The properties of an object literal by name, and the expressions spread into it. */
export function objectParts(object: Node): {
  readonly values: ReadonlyMap<string, Node>;
  readonly spreads: readonly Node[];
} {
  const values = new Map<string, Node>();
  const spreads: Node[] = [];
  for (const property of asNodes(object["properties"])) {
    const argument = property.type === "SpreadElement" ? asNode(property["argument"]) : undefined;
    if (argument !== undefined) spreads.push(argument);
    const key = asNode(property["key"], "Identifier");
    const value = asNode(property["value"]);
    if (key !== undefined && value !== undefined && property["computed"] !== true)
      values.set(String(key["name"]), value);
  }
  return { values, spreads };
}

const FUNCTIONS: readonly string[] = ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"];

/** Whether a node is any kind of function. */
export function isFunction(node: Node): boolean {
  return FUNCTIONS.includes(node.type);
}

/** The statements of a block, a module or a `switch` case. */
export function listStatements(node: Node): readonly Node[] {
  if (node.type === "BlockStatement" || node.type === "Program") return asNodes(node["body"]);
  return node.type === "SwitchCase" ? asNodes(node["consequent"]) : [];
}
