import { readPostgresAddress } from "../continuity/sql/postgres-address.ts";
import type { StoreName } from "./file.ts";

/** What selects a store, and a project in it, at the command line. */
export interface StoreSelection {
  readonly store?: StoreName | undefined;
  readonly file?: string | undefined;
  readonly postgres?: string | undefined;
  readonly schema?: string | undefined;
  readonly project?: string | undefined;
  /** The file in which the ends of the ledgers of a PostgreSQL store are noted. */
  readonly anchor?: string | undefined;
}

/** Returns the options that select a store and project, for a command to be copied; without a password. */
export function storeWords({ store, file, postgres, schema, project, anchor }: StoreSelection): string[] {
  const address = postgres === undefined ? undefined : readPostgresAddress(postgres).masked(postgres);
  return Object.entries({ store, file, postgres: address, schema, anchor, project }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
}
