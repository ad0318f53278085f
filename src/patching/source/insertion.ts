/** The input and output of a patch point's `locate`, and the two checks that every insertion must pass. */
import type { GuardExport } from "../base/guard-file.ts";
import { type Node, isFunction } from "./ast.ts";
import { isInScope } from "./scope.ts";

/** A parsed chunk of dist. */
export interface Chunk {
  /** Path in the package. */
  readonly file: string;
  readonly source: string;
  readonly tree: Node;
  readonly release: string;
  /** The import path of the guard in this chunk. */
  readonly guardImport: string;
  /** A TypeScript source, which imports the guard as a whole at its top, instead of a chunk of dist. */
  readonly isSource?: boolean;
}

/** A line to insert, before or after a statement, or at the top of the file. */
export interface Insertion {
  /** Id of the patch point. */
  readonly point: string;
  readonly text: string;
  readonly where: "before" | "after" | "top";
  /** The statement next to which it is inserted; the start of the file for `top`. */
  readonly statement: { readonly start: number; readonly end: number };
}

/** Thrown when the code around a patch point is not as required. */
export class Mismatch extends Error {
  override readonly name = "Mismatch";
  readonly offset: number;

  constructor(message: string, node: { readonly start: number }) {
    super(message);
    this.offset = node.start;
  }
}

/** The name under which a source imports the guard. */
export const GUARD_NAME = "openclawIntegrity";

/**
 * The expression that calls an export of the guard inside an async function, with its arguments as text. In dist
 * nothing is called when the guard's file is gone: OpenClaw continues without it, and the log shows the error (a
 * gateway that was not restarted after `revert` imports it for the first time).
 */
export function guardCall({ guardImport, isSource = false }: Chunk, name: GuardExport, args: string): string {
  const guard = isSource ? `${GUARD_NAME}.` : `(await import(${JSON.stringify(guardImport)}).catch(console.error))?.`;
  return `${guard}${name}(${args})`;
}

/** A static import of one export of the guard, for places that cannot use `await`. */
export function staticImport(chunk: Chunk, point: string, name: GuardExport, local: string): Insertion {
  const text = `import { ${name} as ${local} } from ${JSON.stringify(chunk.guardImport)};`;
  return { point, statement: { start: 0, end: 0 }, where: "top", text };
}

/** Throws a Mismatch unless the statement is in an async function. */
export function awaitableAt(scope: readonly Node[], statement: Node): void {
  const owner = scope.findLast(isFunction);
  if (owner?.["async"] !== true) throw new Mismatch("a statement that does not stand in an async function", statement);
}

/** Throws a Mismatch unless the first name of every expression is in scope at the statement. */
export function rootsInScope(expressions: readonly string[], statement: Node, scope: readonly Node[]): void {
  for (const expression of expressions) {
    const root = expression.split(".")[0] ?? "";
    if (!isInScope(root, statement.start, scope)) {
      throw new Mismatch(`"${root}" (of "${expression}") not in scope at the insertion`, statement);
    }
  }
}
