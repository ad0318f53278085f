import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asNode, asNodes, memberPath, parseModule, type Node } from "../../src/patching/source/ast.ts";
import type { CompiledEdit } from "./proof-plan.ts";

/** A declared function of a chunk. */
interface Place {
  readonly path: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Makes the edits in the packages below `root`/node_modules. Each file is replaced, never written in place, because a
 * copy may share its bytes with the original. Throws, with nothing more changed, when a function or a text is not there
 * exactly once or when the outcome does not parse.
 */
export function editCompiled(root: string, edits: readonly CompiledEdit[]): void {
  for (const edit of edits) {
    const place = locate(join(root, "node_modules", ...edit.package.split("/"), "dist"), edit.function);
    const body = place.text.slice(place.start, place.end);
    const found = body.split(edit.find).length - 1;
    if (found !== 1) {
      throw new Error(
        `${edit.package}: expected "${edit.find}" once in ${edit.function}(); found it ${found} times. ` +
          "Rewrite the edit for this release.",
      );
    }
    const at = place.start + body.indexOf(edit.find);
    const text = place.text.slice(0, at) + edit.replace + place.text.slice(at + edit.find.length);
    parseModule(text);
    const next = `${place.path}.next`;
    writeFileSync(next, text);
    renameSync(next, place.path);
  }
}

/** Only chunks with that very text are parsed. */
function locate(dist: string, name: string): Place {
  const places = readdirSync(dist)
    .filter((file) => /\.m?js$/.test(file))
    .flatMap((file) => {
      const path = join(dist, file);
      const text = readFileSync(path, "utf8");
      if (!text.includes(`function ${name}(`)) return [];
      return listDeclarations(parseModule(text), name).map(({ start, end }) => ({ path, text, start, end }));
    });
  const [place] = places;
  if (place === undefined || places.length > 1) {
    throw new Error(
      `${dist}: expected one function ${name}(); found ${places.length}. Rewrite the edit for this release.`,
    );
  }
  return place;
}

/** Functions that are declared at the top of the module; what a bundler writes has all of them there. */
function listDeclarations(module: Node, name: string): readonly Node[] {
  return asNodes(module["body"]).filter(
    (node) => node.type === "FunctionDeclaration" && memberPath(asNode(node["id"])) === name,
  );
}
