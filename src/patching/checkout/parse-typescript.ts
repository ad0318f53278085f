/**
 * TypeScript as the same nodes as dist: @sveltejs/acorn-typescript extends acorn, which reads dist, so that the patch
 * points are found in both by the same code; unlike oxc-parser it brings no binary for each platform.
 */
import { Parser } from "acorn";
import { tsPlugin } from "@sveltejs/acorn-typescript";
import type { Node } from "../source/ast.ts";

const TypeScriptParser = Parser.extend(tsPlugin());

/** Parses a TypeScript module. Throws a SyntaxError. */
export function parseTypeScript(source: string): Node {
  return TypeScriptParser.parse(source, {
    ecmaVersion: "latest",
    sourceType: "module",
    locations: true,
  }) as unknown as Node;
}
