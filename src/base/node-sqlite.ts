/** The module `node:sqlite`. */
export type Sqlite = typeof import("node:sqlite");

/** Loads `node:sqlite`; undefined before Node 22.13, which has none. */
export function nodeSqlite(): Sqlite | undefined {
  const load = (process as { getBuiltinModule?: (name: string) => unknown }).getBuiltinModule;
  const { emitWarning } = process;
  try {
    // Node 22 warns on stderr that the module is experimental, which every command of OpenClaw would show.
    process.emitWarning = (() => {}) as typeof process.emitWarning;
    return load?.("node:sqlite") as Sqlite | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}
