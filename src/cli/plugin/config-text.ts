/**
 * Changes single values in the text of OpenClaw's config, which is JSON5 and may be written by hand. Every other
 * character stays unchanged.
 */
import { parse, type Expression, type ObjectExpression, type Property, type SpreadElement } from "acorn";

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Path of a value in a config: the keys that lead to it. */
export type KeyPath = readonly string[];

type Box = ObjectExpression | (Expression & { type: "ArrayExpression" });

// In brackets, a JSON5 value is a JavaScript expression statement.
const OPENED = "(";

/** Returns the value of a JSON5 text. Throws a SyntaxError for any other text. */
export function parseJson5(text: string): Json {
  return nodeValue(parsed(text));
}

/**
 * Returns the text with `value` at `path`; missing objects on the path are created. Throws where the path leads through
 * another kind of value.
 */
export function withValue(text: string, path: KeyPath, value: Json): string {
  const [box, depth] = deepest(text, path);
  const property = findProperty(box, path[depth]);
  if (property !== undefined)
    return splice(text, property.value, written(value, indentAt(text, property), readIndent(text)));
  const nested = path.slice(depth + 1).reduceRight<Json>((inner, key) => ({ [key]: inner }), value);
  return withMember(
    text,
    box,
    (indent) => `${JSON.stringify(path[depth])}: ${written(nested, indent, readIndent(text))}`,
  );
}

/** Returns the text with an item appended to the list at `path`, which is created if needed. */
export function withItem(text: string, path: KeyPath, item: Json): string {
  const list = nodeAt(text, path);
  if (list === undefined) return withValue(text, path, [item]);
  if (list.type !== "ArrayExpression") throw new SyntaxError(`${path.join(".")} is not a list`);
  return withMember(text, list, (indent) => written(item, indent, readIndent(text)));
}

/** Returns the text without the key at `path`; the same text when the key is missing. */
export function withoutKey(text: string, path: KeyPath): string {
  const box = nodeAt(text, path.slice(0, -1));
  const property = box?.type === "ObjectExpression" ? findProperty(box, path.at(-1)) : undefined;
  return property === undefined ? text : withoutMember(text, box as Box, property);
}

/** Returns the text without the items of the list at `path` that equal `item`; the same text when there are none. */
export function withoutItem(text: string, path: KeyPath, item: string): string {
  const list = nodeAt(text, path);
  const found =
    list?.type === "ArrayExpression"
      ? list.elements.findLast((one) => one !== null && one.type !== "SpreadElement" && nodeValue(one) === item)
      : undefined;
  return found === undefined || found === null
    ? text
    : withoutItem(withoutMember(text, list as Box, found), path, item);
}

function parsed(text: string): Expression {
  const { body } = parse(`${OPENED}${text.replace(/^\uFEFF/, " ")}\n)`, { ecmaVersion: "latest" });
  const [statement] = body;
  if (body.length !== 1 || statement?.type !== "ExpressionStatement")
    throw new SyntaxError("the text has more than one value");
  return statement.expression;
}

function nodeValue(node: Expression | SpreadElement | null): Json {
  if (
    node?.type === "Literal" &&
    (node.value === null || ["string", "number", "boolean"].includes(typeof node.value)) &&
    node.regex === undefined
  )
    return node.value as Json;
  if (node?.type === "ArrayExpression") return node.elements.map(nodeValue);
  if (node?.type === "ObjectExpression")
    return Object.fromEntries(node.properties.map((one) => [propertyName(one), nodeValue(propertyIn(one).value)]));
  if (node?.type === "Identifier" && ["Infinity", "NaN"].includes(node.name)) return Number(node.name);
  if (node?.type === "UnaryExpression" && ["-", "+"].includes(node.operator)) {
    const value = nodeValue(node.argument);
    if (typeof value === "number") return node.operator === "-" ? -value : value;
  }
  throw new SyntaxError(`there is no JSON5 value at character ${(node?.start ?? 0) - OPENED.length}`);
}

function propertyIn(property: Property | SpreadElement): Property {
  if (property.type === "Property" && !property.computed && !property.shorthand) return property;
  throw new SyntaxError(`there is no JSON5 key at character ${property.start - OPENED.length}`);
}

function propertyName(property: Property | SpreadElement): string {
  const { key } = propertyIn(property);
  return key.type === "Identifier" ? key.name : String(nodeValue(key as Expression));
}

/** Returns the last property with a name, which is the one that takes effect. */
function findProperty(box: ObjectExpression, key: string | undefined): Property | undefined {
  const found = box.properties.findLast((one) => propertyName(one) === key);
  return found === undefined ? undefined : propertyIn(found);
}

function nodeAt(text: string, path: KeyPath): Expression | undefined {
  return path.reduce<Expression | undefined>(
    (node, key) => (node?.type === "ObjectExpression" ? findProperty(node, key)?.value : undefined),
    parsed(text),
  );
}

/** Returns the innermost existing object on the path, and the number of keys that lead to it. */
function deepest(text: string, path: KeyPath): readonly [ObjectExpression, number] {
  let node: Expression = parsed(text);
  for (let depth = 0; ; depth++) {
    if (node.type !== "ObjectExpression")
      throw new SyntaxError(`${path.slice(0, depth).join(".") || "the whole"} is not an object`);
    const next = findProperty(node, path[depth])?.value;
    if (next === undefined || depth === path.length - 1) return [node, depth];
    node = next;
  }
}

/** Formats a value; without an indent on one line, as its neighbours are. */
function written(value: Json, indent: string | undefined, unit: string): string {
  const text = JSON.stringify(value, null, unit);
  return indent === undefined ? text.replaceAll(/\n\s*/g, "") : text.replaceAll("\n", `\n${indent}`);
}

function splice(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  insert: string,
): string {
  return text.slice(0, start - OPENED.length) + insert + text.slice(end - OPENED.length);
}

function listMembers(box: Box): readonly { readonly start: number; readonly end: number }[] {
  return box.type === "ObjectExpression" ? box.properties : box.elements.flatMap((one) => one ?? []);
}

/** Inserts a member after the last one and its comments, before the closing bracket. */
function withMember(text: string, box: Box, member: (indent: string | undefined) => string): string {
  const [open, close] = [box.start - OPENED.length, box.end - OPENED.length - 1];
  const last = listMembers(box).at(-1);
  const behind = text.slice(0, close).trimEnd().length;
  const isSpread = text.slice(open, close).includes("\n") || (last === undefined && box.type === "ObjectExpression");
  const base = indentAt(text, box);
  const indent =
    last !== undefined && isFirstOfLine(text, last.start - OPENED.length)
      ? indentAt(text, last)
      : base + readIndent(text);
  const comma = last === undefined ? undefined : commaBehind(text, last.end - OPENED.length);
  const added =
    (isSpread ? `\n${indent}` : last === undefined ? "" : " ") +
    member(isSpread ? indent : undefined) +
    (comma === undefined ? "" : ",");
  const closing = isSpread && !text.slice(behind, close).includes("\n") ? `\n${base}` : "";
  const grown = text.slice(0, behind) + added + closing + text.slice(behind);
  return last === undefined || comma !== undefined
    ? grown
    : grown.slice(0, last.end - OPENED.length) + "," + grown.slice(last.end - OPENED.length);
}

function withoutMember(text: string, box: Box, member: { readonly start: number; readonly end: number }): string {
  const members = listMembers(box);
  const before = members[members.findIndex(({ start }) => start === member.start) - 1];
  const [start, end] = [member.start - OPENED.length, member.end - OPENED.length];
  const comma = commaBehind(text, end);
  const behind = comma === undefined ? text.slice(end) : text.slice(end, comma) + text.slice(comma + 1);
  const head = text.slice(0, start).trimEnd();
  // A member on a line of its own is removed with its line. Otherwise the text after it stays on its own line, so that
  // a comment at the end of the previous line does not swallow it.
  const joins = /^[^\S\n]*\n/.test(behind) || !text.slice(head.length, start).includes("\n");
  const rest = joins ? head + behind : text.slice(0, start) + behind.trimStart();
  const needless =
    comma !== undefined || before === undefined ? undefined : commaBehind(text, before.end - OPENED.length);
  return needless === undefined ? rest : rest.slice(0, needless) + rest.slice(needless + 1);
}

/** Returns the position of the comma after a member, past white space and comments. */
function commaBehind(text: string, from: number): number | undefined {
  const between = /(?:\s|\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/)*/y;
  between.lastIndex = from;
  between.exec(text);
  return text[between.lastIndex] === "," ? between.lastIndex : undefined;
}

function lineBefore(text: string, position: number): string {
  return text.slice(text.lastIndexOf("\n", position - 1) + 1, position);
}

function isFirstOfLine(text: string, position: number): boolean {
  return lineBefore(text, position).trim() === "";
}

function indentAt(text: string, { start }: { readonly start: number }): string {
  return /^[^\S\n]*/.exec(lineBefore(text, start - OPENED.length))?.[0] ?? "";
}

/** Returns the indentation of one level, as the outermost object shows it. */
function readIndent(text: string): string {
  const root = parsed(text);
  const [first] = root.type === "ObjectExpression" ? root.properties : [];
  const indent = first !== undefined && isFirstOfLine(text, first.start - OPENED.length) ? indentAt(text, first) : "";
  return indent === "" ? "  " : indent;
}
