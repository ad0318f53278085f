/** What a locator reads and returns, and the two checks that every insertion has to pass. */
import { type Node, isFunction } from "./ast.ts";
import { isInScope } from "./scope.ts";

/** A parsed chunk of dist. */
export interface Chunk {
  /** Path in the package. */
  readonly file: string;
  readonly source: string;
  readonly tree: Node;
  readonly release: string;
  /** How this chunk imports our file. */
  readonly guardImport: string;
}

/** One line that is to be inserted, before or behind a statement, or at the top of the file. */
export interface Insertion {
  /** Id of the patch point. */
  readonly point: string;
  readonly text: string;
  readonly where: "before" | "after" | "top";
  /** The statement it stands next to; the start of the file for `top`. */
  readonly statement: { readonly start: number; readonly end: number };
}

/** The surroundings of a patch point are not what it needs. */
export class Mismatch extends Error {
  override readonly name = "Mismatch";
  readonly offset: number;

  constructor(message: string, node: { readonly start: number }) {
    super(message);
    this.offset = node.start;
  }
}

/**
 * The expression that gives our file's exports inside an async function, or undefined when the file is gone: then
 * OpenClaw goes on without it (a gateway that was not restarted after `revert` reads it for the first time), and the
 * log says so.
 */
export function guardOf(chunk: Chunk): string {
  return `(await import(${JSON.stringify(chunk.guardImport)}).catch(console.error))`;
}

/** A static import of one export of our file, for places that cannot wait. */
export function staticImport(chunk: Chunk, point: string, name: string, local: string): Insertion {
  const text = `import { ${name} as ${local} } from ${JSON.stringify(chunk.guardImport)};`;
  return { point, statement: { start: 0, end: 0 }, where: "top", text };
}

/** Throws unless `await` is allowed where the statement stands. */
export function awaitableAt(scope: readonly Node[], statement: Node): void {
  const owner = scope.findLast(isFunction);
  if (owner?.["async"] !== true) throw new Mismatch("a statement that does not stand in an async function", statement);
}

/** Throws unless the first name of every expression is bound where the statement stands. */
export function rootsInScope(expressions: readonly string[], statement: Node, scope: readonly Node[]): void {
  for (const expression of expressions) {
    const root = expression.split(".")[0] ?? "";
    if (!isInScope(root, statement.start, scope)) {
      throw new Mismatch(`"${root}" (of "${expression}") not in scope at the insertion`, statement);
    }
  }
}
