import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type ContinuityStore, openPostgresStore, openSqliteStore } from "../../continuity/index.ts";
import { continuityFile } from "../../continuity-tools/file.ts";
import type { ContinuityConfig } from "../settings/continuity.ts";

/** Where recorded work is stored. */
export interface StorePlace {
  /** Identity of the store: equal keys mean the same database. */
  readonly key: string;
  /** Returns whether no store exists there, as far as that can be checked without creating one. */
  readonly isMissing: () => boolean;
  /**
   * Opens the store and creates it if it is missing; calls `warn` with advice for the person who configured it. Rejects
   * with a ContinuityError.
   */
  readonly open: (warn: (warning: string) => void) => Promise<ContinuityStore>;
}

/** Returns the store that the configuration names; by default the file in the state directory. */
export function storePlace(
  { postgres, file }: Pick<ContinuityConfig, "postgres" | "file">,
  stateDirectory: string,
): StorePlace {
  if (postgres !== undefined)
    return {
      key: postgres,
      isMissing: () => false,
      open: (warn) => openPostgresStore({ connectionString: postgres, warn }),
    };
  const path = resolve(stateDirectory, file ?? continuityFile(stateDirectory));
  return { key: path, isMissing: () => !existsSync(path), open: async (warn) => openSqliteStore({ file: path, warn }) };
}
