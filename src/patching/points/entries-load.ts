/** The methods that load rows of a SQLite transcript into a session, and refuse them by their header. */
import { type Node, asNode, memberPath, findOffsets, listStatements, walkTo } from "../source/ast.ts";
import { type Chunk, type Insertion, Mismatch, rootsInScope, staticImport } from "../source/insertion.ts";
import { isInScope } from "../source/scope.ts";

const LOAD = "openclawIntegrityLoadTranscript";

/** The names that the line in a method needs, and the line, which depends on the names of the release. */
interface Reader {
  readonly needs: readonly string[];
  readonly line: (has: (name: string) => boolean) => string | undefined;
}

const READERS: Readonly<Record<string, Reader>> = {
  setLoadedSessionTarget: {
    needs: ["target", "entries"],
    line: (has) => {
      // Betas of 2026.7 and 2026.8 have no bounded context yet; 2026.9.3 renamed the function that reads all rows.
      const taken = has("bounded") ? "entries, bounded" : "entries";
      const readAll = has("loadTranscriptReadSnapshotSync")
        ? "loadTranscriptReadSnapshotSync(target).events"
        : "loadTranscriptEventsSync(target)";
      if (!has(readAll.slice(0, readAll.indexOf("(")))) return undefined;
      const given = `{ ${taken}, sessionId: target?.sessionId, readAll: () => target ? ${readAll} : entries }`;
      return `({ ${taken} } = ${LOAD}(${given}));`;
    },
  },
  fromSelectedEntries: {
    needs: ["contextEntries"],
    line: () => `contextEntries = ${LOAD}({ entries: contextEntries }).entries;`,
  },
};

/** One insertion in each method, and the import that they share. */
export function entriesLoads(chunk: Chunk, point: string): readonly Insertion[] {
  const insertions = Object.entries(READERS).flatMap(([name, reader]) => {
    const place = findMethod(chunk, name);
    if (place === undefined) return [];
    const { statement, scope } = place;
    rootsInScope(reader.needs, statement, scope);
    const text = reader.line((used) => isInScope(used, statement.start, scope));
    if (text === undefined)
      throw new Mismatch(`no function in reach of ${name} that reads all rows of a session`, statement);
    return [{ point, statement, where: "before" as const, text }];
  });
  return insertions.length === 0 ? [] : [staticImport(chunk, point, "loadTranscript", LOAD), ...insertions];
}

/** The first statement of a method and its scope. */
function findMethod(
  chunk: Chunk,
  name: string,
): { readonly statement: Node; readonly scope: readonly Node[] } | undefined {
  let place: { readonly statement: Node; readonly scope: readonly Node[] } | undefined;
  walkTo(chunk.tree, findOffsets(chunk.source, `${name}(`), (node, ancestors) => {
    if (node.type !== "MethodDefinition" || memberPath(node["key"]) !== name) return;
    const method = asNode(node["value"], "FunctionExpression");
    const body = asNode(method?.["body"], "BlockStatement");
    const statement = body === undefined ? undefined : listStatements(body)[0];
    if (method === undefined || statement === undefined) throw new Mismatch(`${name} without a body`, node);
    if (place !== undefined) throw new Mismatch(`a second method ${name}`, node);
    place = { statement, scope: [...ancestors, node, method] };
  });
  return place;
}
