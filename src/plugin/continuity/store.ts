import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type ContinuityStore, openPostgresStore, openSqliteStore } from "../../continuity/index.ts";
import { continuityFile } from "../../continuity-tools/file.ts";
import type { ContinuityConfig } from "../settings/continuity.ts";

/** Where the work is kept. */
export interface StorePlace {
  /** The same for the same place. */
  readonly key: string;
  /** Whether nothing was ever kept there, as far as that can be seen without making anything. */
  readonly isMissing: () => boolean;
  /**
   * Makes it if it is not there; `warn` is told what whoever configured it should know. Rejects with a ContinuityError.
   */
  readonly open: (warn: (warning: string) => void) => Promise<ContinuityStore>;
}

/** The place that the configuration names, the file in the state directory by default. */
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
  return { key: path, isMissing: () => !existsSync(path), open: async () => openSqliteStore({ file: path }) };
}
