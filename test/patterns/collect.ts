/** Every regular expression of the sources, read from their syntax. */
import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, type AnyNode } from "acorn";

const SOURCES = fileURLToPath(new URL("../../src/", import.meta.url));

/** A regular expression as it stands in a file. */
export interface Found {
  /** `src/base/time.ts:12` */
  readonly place: string;
  /** Undefined where the pattern is put together of what is known only when it runs. */
  readonly pattern: string | undefined;
  readonly flags: string;
  /** The expression in the source. */
  readonly source: string;
}

/** Those of all files of the sources that are no tests. */
export function patternsInSources(): Found[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.endsWith(".d.ts"),
  );
  return files
    .toSorted()
    .flatMap((file) => patternsIn(readFileSync(join(SOURCES, file), "utf8"), join("src", relative(".", file))));
}

/** Those of one file. */
export function patternsIn(typescript: string, file: string): Found[] {
  const code = stripTypeScriptTypes(typescript);
  const found: Found[] = [];
  const program = parse(code, { ecmaVersion: "latest", sourceType: "module", allowHashBang: true, locations: true });
  walk(program, (node) => {
    const at = { place: `${file}:${node.loc?.start.line}`, source: code.slice(node.start, node.end) };
    if (node.type === "Literal" && node.regex)
      found.push({ ...at, pattern: node.regex.pattern, flags: node.regex.flags });
    if (
      (node.type === "NewExpression" || node.type === "CallExpression") &&
      node.callee.type === "Identifier" &&
      node.callee.name === "RegExp"
    ) {
      const [pattern, flags] = node.arguments;
      found.push({ ...at, pattern: literalText(pattern), flags: literalText(flags) ?? "" });
    }
  });
  return found;
}

/** The text of a literal; undefined for every other expression. */
function literalText(node: AnyNode | undefined): string | undefined {
  return node?.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
}

function walk(node: AnyNode, visit: (node: AnyNode) => void): void {
  visit(node);
  for (const child of Object.values(node)) {
    for (const one of Array.isArray(child) ? child : [child]) {
      if (typeof one === "object" && one !== null && "type" in one && typeof one.type === "string")
        walk(one as AnyNode, visit);
    }
  }
}
