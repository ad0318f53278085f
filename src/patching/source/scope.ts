/** Checks which names an inserted statement may use: those declared around it and, in its own block, before it. */
import { type Node, asNode, asNodes, isFunction, listStatements } from "./ast.ts";

/**
 * Whether `name` can be used at `position` inside the given ancestors (outermost first). A `const` or `let` after the
 * position hides one of that name further out: a line that uses the name there throws.
 */
export function isInScope(name: string, position: number, ancestors: readonly Node[]): boolean {
  for (const ancestor of ancestors.toReversed()) {
    const found = listStatements(ancestor).filter((statement) => declares(statement, name));
    // The innermost block that has the name decides, also where its declaration comes only later.
    if (found.length > 0) return found.some((statement) => isUsableAt(statement, position));
    if (isFunction(ancestor) && asNodes(ancestor["params"]).some((parameter) => binds(parameter, name))) return true;
  }
  return false;
}

/** Imports and functions can be used before the place where they stand. */
function isUsableAt({ type, end }: Node, position: number): boolean {
  return type === "ImportDeclaration" || type === "FunctionDeclaration" || end <= position;
}

function declares(statement: Node, name: string): boolean {
  switch (statement.type) {
    case "ImportDeclaration":
      return asNodes(statement["specifiers"]).some((specifier) => binds(asNode(specifier["local"]), name));
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return binds(asNode(statement["id"]), name);
    case "VariableDeclaration":
      return asNodes(statement["declarations"]).some((declarator) => binds(asNode(declarator["id"]), name));
    default:
      return false;
  }
}

function binds(pattern: Node | undefined, name: string): boolean {
  switch (pattern?.type) {
    case "Identifier":
      return pattern["name"] === name;
    case "AssignmentPattern":
      return binds(asNode(pattern["left"]), name);
    case "RestElement":
      return binds(asNode(pattern["argument"]), name);
    case "ArrayPattern":
      return asNodes(pattern["elements"]).some((element) => binds(element, name));
    case "ObjectPattern":
      return asNodes(pattern["properties"]).some((property) => binds(asNode(property["value"]) ?? property, name));
    default:
      return false;
  }
}
