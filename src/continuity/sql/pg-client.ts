import { createRequire } from "node:module";
import type pg from "pg";
import { continuityError } from "../base/errors.ts";

/**
 * Returns the package `pg`, loaded at first use: a store in SQLite needs none. The library takes the one that is
 * installed beside it; the command line and the plugin have their own (`bundlePg` in tsdown.config.ts). Throws `no-pg`.
 */
export function pgClient(): typeof pg {
  try {
    return createRequire(import.meta.url)("pg") as typeof pg;
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    if (code !== "MODULE_NOT_FOUND" || !/'pg'/.test(String(message))) throw error;
    throw continuityError("no-pg", {
      expected: "the package pg, version 8, which speaks to PostgreSQL",
      found: "no package pg",
      todo: "Install it beside this package: npm install pg. Nothing was opened.",
    });
  }
}
