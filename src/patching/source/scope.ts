/** Checks which names an inserted statement may use: those declared around it and, in its own block, before it. */
import { type Node, asNode, asNodes, isFunction, listStatements } from "./ast.ts";

/**
 * Whether `name` is bound at `position` inside the given ancestors (outermost first). A `const` or `let` after the
 * position does not count: the inserted line would throw.
 */
export function isInScope(name: string, position: number, ancestors: readonly Node[]): boolean {
  return ancestors.some(
    (ancestor) =>
      (isFunction(ancestor) && asNodes(ancestor["params"]).some((parameter) => binds(parameter, name))) ||
      listStatements(ancestor).some((statement) => declares(statement, name, position)),
  );
}

function declares(statement: Node, name: string, position: number): boolean {
  switch (statement.type) {
    case "ImportDeclaration":
      return asNodes(statement["specifiers"]).some((specifier) => binds(asNode(specifier["local"]), name));
    case "FunctionDeclaration":
      return binds(asNode(statement["id"]), name);
    case "ClassDeclaration":
      return statement.end <= position && binds(asNode(statement["id"]), name);
    case "VariableDeclaration":
      return (
        statement.end <= position &&
        asNodes(statement["declarations"]).some((declarator) => binds(asNode(declarator["id"]), name))
      );
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
