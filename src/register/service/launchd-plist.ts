/**
 * The hook in a launchd plist as OpenClaw writes it: one more argument of Node. Not in EnvironmentVariables, because
 * releases of autumn 2026 start Node by a script that reads its environment from a file and overrides the plist's.
 */
import { findHook } from "../node-options.ts";

const ARGUMENTS = /<key>ProgramArguments<\/key>\s*<array>([\s\S]*?)<\/array>/;
const NODE = /(?:^|[\\/])node(?:\.exe)?$/;
const ENTITIES: readonly (readonly [character: string, entity: string])[] = [
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&apos;"],
];

/** The arguments of a plist; none where it has another form than OpenClaw's. */
export function plistArguments(plist: string): readonly string[] {
  return stringsIn(plist).map(({ value }) => value);
}

/** The plist with the hook as first option of Node; undefined when Node is not among its arguments. */
export function plistWith(plist: string, hook: string): string | undefined {
  const node = stringsIn(plist).find(({ value }) => NODE.test(value));
  if (node === undefined) return undefined;
  const { end } = node;
  return `${plist.slice(0, end)}${argumentLine(plist, node.start, hook)}${plist.slice(end)}`;
}

/** The plist as it was before {@link plistWith}, byte for byte; undefined when it has no hook. */
export function plistWithout(plist: string): string | undefined {
  const strings = stringsIn(plist);
  const own = strings.findIndex(({ value }) => findHook([value]) !== undefined);
  const before = strings[own - 1];
  const found = strings[own];
  if (before === undefined || found === undefined) return undefined;
  return `${plist.slice(0, before.end)}${plist.slice(found.end)}`;
}

/** The new argument, on a line of its own that is indented as that of Node. */
function argumentLine(plist: string, start: number, hook: string): string {
  const lineStart = plist.lastIndexOf("\n", start);
  const indent = lineStart < 0 ? "" : plist.slice(lineStart, start);
  return `${/^\s*$/.test(indent) ? indent : ""}<string>${escaped(`--import=${hook}`)}</string>`;
}

interface Placed {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

function stringsIn(plist: string): readonly Placed[] {
  const found = ARGUMENTS.exec(plist);
  if (found === null) return [];
  const inside = found[1] ?? "";
  const from = found.index + found[0].length - "</array>".length - inside.length;
  return [...inside.matchAll(/<string>([^<]*)<\/string>/g)].map(({ 0: whole, 1: value = "", index }) => ({
    value: unescaped(value),
    start: from + index,
    end: from + index + whole.length,
  }));
}

function escaped(text: string): string {
  return ENTITIES.reduce((made, [character, entity]) => made.replaceAll(character, entity), text);
}

function unescaped(text: string): string {
  return ENTITIES.toReversed().reduce((made, [character, entity]) => made.replaceAll(entity, character), text);
}
