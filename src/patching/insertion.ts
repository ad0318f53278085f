/** What a locator reads and returns, and the two checks that every insertion has to pass. */
import type { Node } from "./ast.ts";
import { isFunction } from "./ast.ts";
import type { PointId, Release } from "./points.ts";
import { isInScope } from "./scope.ts";

/** A parsed chunk of dist. */
export interface Chunk {
  readonly file: string;
  readonly source: string;
  readonly tree: Node;
  readonly release: Release;
  /** How this chunk imports our file. */
  readonly guardImport: string;
}

/** One line that is to be inserted, before or behind a statement, or at the top of the file. */
export interface Insertion {
  readonly point: PointId;
  readonly text: string;
  readonly where: "before" | "after" | "top";
  /** The statement it stands next to; the module itself for `top`. */
  readonly statement: Node;
}

/** The surroundings of a patch point are not what it needs; becomes a PatchError with the file's name. */
export class Mismatch extends Error {
  override readonly name = "Mismatch";
  readonly offset: number;

  constructor(message: string, node: Node) {
    super(message);
    this.offset = node.start;
  }
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
