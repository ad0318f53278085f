/** The module `node:sqlite`. */
export type Sqlite = typeof import("node:sqlite");

/** Node's own SQLite; undefined where this Node has none (before 22.13). */
export function nodeSqlite(): Sqlite | undefined {
  const load = (process as { getBuiltinModule?: (name: string) => unknown }).getBuiltinModule;
  const { emitWarning } = process;
  try {
    // Node 22 warns that the module is experimental, on the stderr of every command of OpenClaw's.
    process.emitWarning = (() => {}) as typeof process.emitWarning;
    return load?.("node:sqlite") as Sqlite | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}
