/** Reads the built guard and checks its exports. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { asNode, asNodes, memberPath, parseModule } from "../source/ast.ts";
import { patchError } from "../base/errors.ts";
import { GUARD_EXPORTS } from "../base/guard-file.ts";

const EXPORTED = Object.keys(GUARD_EXPORTS);

/**
 * Reads the built guard: beside this file when this file is built itself, else in the repository's dist. Throws
 * `guard-missing`.
 */
export function builtGuard(): string {
  const places = ["./guard.mjs", "../../../dist/guard.mjs"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const place = places.find((path) => existsSync(path));
  if (place === undefined) {
    throw patchError("guard-missing", {
      expected: `the built guard in ${places.join(" or ")}`,
      found: "no such file",
      todo: "Build it (npm run build), or reinstall openclaw-integrity.",
    });
  }
  return readFileSync(place, "utf8");
}

/** Throws `guard-missing` unless the text is a module with the exports that the inserted lines call. */
export function checkGuard(text: string): void {
  // The bundler's export statement is enough in most cases; parsing the whole text takes a tenth of a second.
  if (EXPORTED.every((name) => listedAtTheEnd(text).includes(name))) return;
  const names = exportedNames(text);
  const missing = EXPORTED.filter((name) => !names.has(name));
  if (missing.length === 0) return;
  throw patchError("guard-missing", {
    expected: `a guard that exports ${EXPORTED.join(", ")}`,
    found: `one without ${missing.join(", ")}`,
    todo: "Build it again (npm run build); nothing was changed.",
  });
}

function listedAtTheEnd(text: string): readonly string[] {
  const end = text.slice(Math.max(0, text.lastIndexOf("\nexport {")));
  const [statement = "", list = ""] = /^\nexport \{([^}]*)\};?/.exec(end) ?? [];
  const behind = end.slice(statement.length).trim();
  const isLast = behind === "" || (behind.startsWith("//") && !behind.includes("\n"));
  return isLast ? list.split(",").map((name) => name.trim()) : [];
}

function exportedNames(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const statement of asNodes(parseModule(text)["body"])) {
    if (statement.type !== "ExportNamedDeclaration") continue;
    const declaration = asNode(statement["declaration"]);
    const declared = [declaration?.["id"], ...asNodes(declaration?.["declarations"]).map((item) => item["id"])];
    const specified = asNodes(statement["specifiers"]).map((specifier) => specifier["exported"]);
    for (const name of [...declared, ...specified].flatMap((node) => memberPath(node) ?? [])) names.add(name);
  }
  return names;
}
