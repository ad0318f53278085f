import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type ContinuityStore, openPostgresStore, openSqliteStore } from "../../continuity/index.ts";
import { continuityFile } from "../../continuity-tools/file.ts";
import { storeWords } from "../../continuity-tools/store-words.ts";
import type { ContinuityConfig } from "../settings/continuity.ts";

/** Where recorded work is stored. */
export interface StorePlace {
  /** Identity of the store: equal keys mean the same database. */
  readonly key: string;
  /** Returns the options that select the store at the command line. Throws a ContinuityError for an invalid address. */
  readonly words: () => readonly string[];
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
  { postgres, file, anchor }: Pick<ContinuityConfig, "postgres" | "file" | "anchor">,
  stateDirectory: string,
): StorePlace {
  const noted = anchor === undefined ? undefined : { file: resolve(stateDirectory, anchor) };
  if (postgres !== undefined)
    return {
      key: postgres,
      isMissing: () => false,
      words: () => storeWords({ postgres, anchor: noted?.file }),
      open: (warn) => openPostgresStore({ connectionString: postgres, warn, anchor: noted }),
    };
  const path = resolve(stateDirectory, file ?? continuityFile(stateDirectory));
  return {
    key: path,
    words: () => (file === undefined ? [] : storeWords({ file: path })),
    isMissing: () => !existsSync(path),
    open: async (warn) => openSqliteStore({ file: path, warn }),
  };
}
