import { quotedInline } from "../../base/quoted.ts";
import { ContinuityError, continuityError } from "../base/errors.ts";
import { fromBackup } from "../base/from-backup.ts";
import type { AwayErrors } from "./patience.ts";

/**
 * SQLSTATE classes of a server that is stopping, starting or short of resources, and of transactions that can be
 * retried; 25P03: this process was suspended; 55P03: another one holds the workflow for too long.
 */
const LATER = /^(?:08|53|57|58|40|25P03|55P03)/;

/** What to do about an unknown user, password or database, or a missing right. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/^28P01/, "Check the user and the password: in the address, PGPASSWORD or ~/.pgpass."],
  [/^28/, "Check the user, and which users the server's pg_hba.conf admits."],
  [/^3D/, "Create the database, or name another one in the address."],
  [/^3F/, "The schema belongs to another user: ask that user to grant its use, or name another schema."],
  [/^42501/, "Give the user the right to create a schema in the database, and tables in it."],
];
/** SQLSTATE class of a violated constraint. */
const CONSTRAINT = "23";
const NO_PASSWORD = /password must be a (?:non-empty )?string/i;
const CERTIFICATE = /^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_TLS|ERR_SSL|EPROTO)/;
const LONGEST_REASON = 300;

/** What PgBouncer refuses for good, under the code of a broken connection. */
const BY_POOLER = /unsupported startup parameter|no such (?:database|user)|authentication failed/i;

/** Reads the errors of one server. */
export interface PostgresErrors extends AwayErrors {
  /**
   * Converts pg's error to the kernel's, without the password. While a store is being opened, every error is one of the
   * server.
   */
  readonly asError: (error: unknown, isOpening?: boolean) => unknown;
}

/** Returns what reads the errors of a server; `mask` removes the password from a text. */
export function postgresErrors(mask: (text: string) => string): PostgresErrors {
  /** What was found, by the errors of a server that was away. */
  const away = new WeakMap<object, string>();
  const asError = (error: unknown, isOpening = false): unknown => {
    if (error instanceof ContinuityError) return error;
    const { code: given, message } = error as { code?: unknown; message?: unknown };
    const code = typeof given === "string" ? given : "";
    const text = String(message);
    const found = quotedInline(mask(text === "" ? code : text), LONGEST_REASON);
    if (code.startsWith("08") && BY_POOLER.test(text))
      return continuityError("not-writable", {
        expected: "PgBouncer to let this user connect to this database",
        found,
        todo: /startup parameter/i.test(text)
          ? "Remove options, and the time limits of the server, from the address. Nothing was written."
          : "Check the user, the password and the database, in the address and in PgBouncer's configuration. " +
            "Nothing was written.",
        cause: error,
      });
    const refused =
      REFUSED.find(([states]) => states.test(code))?.[1] ??
      (NO_PASSWORD.test(text)
        ? "The server asks for a password: set PGPASSWORD, or write it into ~/.pgpass or the address."
        : undefined);
    if (refused !== undefined)
      return continuityError("not-writable", {
        expected: "PostgreSQL to let this user connect, read and write",
        found,
        todo: `${refused} Nothing was written.`,
        cause: error,
      });
    if (code.startsWith(CONSTRAINT) && !isOpening)
      return continuityError("damaged", {
        expected: "rows that fit those which are stored",
        found,
        todo: `The store was changed from outside. ${fromBackup()} Nothing was written.`,
        cause: error,
      });
    if (CERTIFICATE.test(code)) {
      return continuityError("unavailable", {
        expected: "a PostgreSQL server with a certificate that can be verified",
        found,
        todo:
          "Name the certificate file of its authority with sslrootcert in the address, and the server by the name " +
          "in its certificate; sslmode=require verifies both here, as verify-full does.",
        cause: error,
      });
    }
    if (/does not support SSL/i.test(text))
      return continuityError("unavailable", {
        expected: "a PostgreSQL server with TLS, as its address says",
        found,
        todo: "Turn TLS on at the server (ssl = on), or use sslmode=disable on a network where nobody can listen.",
        cause: error,
      });
    const isGone =
      code === ""
        ? /connection|terminat|timeout|closed|ended/i.test(text)
        : LATER.test(code) || /^E[A-Z_]+$/.test(code);
    const isServers =
      isOpening && !(error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError);
    if (!isGone && !isServers) return error;
    const isUnknownHost = code === "ENOTFOUND" || code === "EAI_AGAIN";
    const todo = isUnknownHost
      ? "Check the name of the host in the address."
      : "Check that the server runs and can be reached.";
    const unavailable = continuityError("unavailable", {
      expected: "PostgreSQL to answer",
      found,
      todo,
      cause: error,
    });
    // The name of the host in an address that never worked is wrong; later, names may be unknown for a while.
    if (isGone && !(isOpening && isUnknownHost)) away.set(unavailable, found);
    return unavailable;
  };
  return {
    asError,
    isAway: (error) => typeof error === "object" && error !== null && away.has(error),
    overdue: (error, { tries, milliseconds }) =>
      continuityError("unavailable", {
        expected: "PostgreSQL to answer in time",
        found:
          `no answer for ${(milliseconds / 1000).toFixed(1)} s, in ${tries} tries; at ` +
          `last ${away.get(error as object)}`,
        todo: "Check that the server runs and can be reached.",
        cause: error,
      }),
  };
}
