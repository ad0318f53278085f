import { type ContinuityStore, openPostgresStore, openSqliteStore } from "../../src/continuity/index.ts";

/** Where the workers' ledgers are. */
export type StorePlace =
  | { readonly kind: "postgres"; readonly url: string; readonly schema: string }
  | { readonly kind: "sqlite"; readonly file: string };

/** Requests of a server that hangs are given up and sent again meanwhile. */
const PATIENCE_MS = 3000;

/** Opens the store as any process would. */
export async function openStore(place: StorePlace): Promise<ContinuityStore> {
  return place.kind === "sqlite"
    ? openSqliteStore({ file: place.file })
    : await openPostgresStore({
        connectionString: place.url,
        schema: place.schema,
        connections: 4,
        patienceMs: PATIENCE_MS,
      });
}
