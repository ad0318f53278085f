import { maskSecrets } from "../../base/mask-secrets.ts";
import { nameInline, quotedInline } from "../../base/quoted.ts";
import { isThisMachine } from "../../base/this-machine.ts";
import { continuityError } from "../base/errors.ts";
import { pgClient } from "./pg-client.ts";

/** A PostgreSQL server's address, as the pg client interprets it. */
export interface PostgresAddress {
  /**
   * The address for pg, without the parts that are passed separately. Undefined when pg reads everything from its
   * environment.
   */
  readonly connectionString: string | undefined;
  /** The server options (`-c name=value`) in the address. */
  readonly options: string;
  readonly connectTimeoutMs: number;
  /** Warnings for the author of the address, one sentence each. */
  readonly warnings: readonly string[];
  /** Removes the password from a text about the server. */
  readonly masked: (text: string) => string;
}

const EXPECTED = "the address of a PostgreSQL server, postgres://<user>@<host>:<port>/<database>";
const CONNECT_TIMEOUT_MS = 30_000;
const LAST_PORT = 65_535;

/** Options that pg reads from an address. */
const KNOWN: ReadonlySet<string> = new Set([
  "host",
  "port",
  "user",
  "password",
  "sslmode",
  "sslcert",
  "sslkey",
  "sslrootcert",
  "ssl",
  "sslnegotiation",
  "uselibpqcompat",
  "application_name",
  "fallback_application_name",
  "client_encoding",
  "statement_timeout",
  "lock_timeout",
  "query_timeout",
  "idle_in_transaction_session_timeout",
  "options",
  "connect_timeout",
]);
/** Options that only libpq knows; many addresses have them, and they have no effect here. */
const LIBPQ_ONLY: ReadonlySet<string> = new Set([
  "channel_binding",
  "gssencmode",
  "hostaddr",
  "keepalives",
  "keepalives_count",
  "keepalives_idle",
  "keepalives_interval",
  "krbsrvname",
  "load_balance_hosts",
  "passfile",
  "require_auth",
  "requirepeer",
  "service",
  "ssl_max_protocol_version",
  "ssl_min_protocol_version",
  "sslcompression",
  "sslcrl",
  "sslcrldir",
  "sslsni",
  "target_session_attrs",
  "tcp_user_timeout",
]);
const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"];
const SSL_VALUES = ["true", "1", "0", "no-verify"];
/** Modes that pg 8 treats as verify-full, unlike libpq. */
const TREATED_AS_VERIFY_FULL = ["allow", "prefer", "require", "verify-ca"];

/**
 * Parses an address before any connection. Throws `bad-input`, with a message that never contains the password, for a
 * text that is not an address or that pg would interpret differently than intended: an option that pg silently ignores,
 * or a password with characters that end it.
 */
export function readPostgresAddress(given: string | undefined): PostgresAddress {
  const text = given?.trim();
  if (text === "") throw refuse("an empty text");
  const isUrl = text !== undefined && !/^(?:\/|socket:)/i.test(text);
  const url = isUrl ? parseUrl(text) : undefined;
  const options = url?.searchParams ?? new URLSearchParams();
  if (url) checkOptions(options);
  const mode = options.get("sslmode") ?? undefined;
  const isRaised =
    mode !== undefined && TREATED_AS_VERIFY_FULL.includes(mode) && options.get("uselibpqcompat") !== "true";
  // Otherwise pg prints a warning of its own into the output.
  const connectionString = text
    ?.replaceAll(/(?<=[?&])options=[^&]*/g, "")
    .replaceAll(/(?<=[?&])sslmode=[^&]*/g, (pair) => (isRaised ? "sslmode=verify-full" : pair));
  const { host, port, password, ssl } = interpretAddress(connectionString);
  if (!Number.isInteger(port) || port < 1 || port > LAST_PORT)
    throw refuse(`the port ${nameInline(String(options.get("port") ?? port))}`, `Use a port from 1 to ${LAST_PORT}.`);
  if (host.includes(",")) throw refuse("several hosts", "Use one of them.");
  const ignored = [...new Set(options.keys())].filter((name) => LIBPQ_ONLY.has(name));
  return {
    connectionString,
    options: options.get("options") ?? "",
    connectTimeoutMs: parseTimeout(options.get("connect_timeout")),
    warnings: [
      ...tlsWarnings(host, ssl),
      ...(isRaised
        ? [
            `sslmode=${mode} counts as verify-full here: always with TLS, and the certificate and the name in it are ` +
              "verified. Write sslmode=verify-full in the address of the PostgreSQL " +
              `server${mode === "allow" || mode === "prefer" ? ", or disable if the server has no TLS" : ""}.`,
          ]
        : []),
      ...(ignored.length > 0
        ? [
            `in the address of the PostgreSQL server ${ignored.join(", ")} ${ignored.length === 1 ? "has" : "have"} ` +
              `no effect: only libpq knows ${ignored.length === 1 ? "that option" : "these options"}.`,
          ]
        : []),
    ],
    masked: (message) => maskSecrets(message, [password, url?.password, process.env["PGPASSWORD"]]),
  };
}

function parseUrl(text: string): URL {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(text) ?? [];
  if (!/^postgres(?:ql)?:\/\//i.test(text)) {
    if (scheme !== undefined && !/^postgres(?:ql)?$/i.test(scheme))
      throw refuse(`an address that begins with ${scheme}:`);
    throw refuse(
      /\b(?:host|dbname|user)\s*=/i.test(text)
        ? "keywords (host=… dbname=…), which only libpq takes"
        : `a text of ${text.length} characters that is not an address`,
    );
  }
  // These characters in a password end it: the rest would be read as the host, the database, or not at all.
  const todo =
    "Write @ : / ? # and % in a user or password as %40 %3A %2F %3F %23 %25, one host only, and a port from 1 to " +
    `${LAST_PORT}. The address is not shown because of the password in it.`;
  if (text.includes("#")) throw refuse("an address with a #", todo);
  const whole = [text, text.replace("@/", "@localhost/")].find((one) => URL.canParse(one));
  const url = whole === undefined ? undefined : new URL(whole);
  if (!url) throw refuse("an address that cannot be parsed", todo);
  if (url.pathname.includes("@")) throw refuse("an @ in the name of the database", todo);
  if (url.search.includes("@")) throw refuse("an @ after the ?", todo);
  // Options are found by their literal names.
  if (/[?&][^=&?]*%/.test(url.search)) throw refuse("a % in the name of an option", "Write the name as it is.");
  return url;
}

function checkOptions(options: URLSearchParams): void {
  for (const [name, value] of options) {
    if (!KNOWN.has(name) && !LIBPQ_ONLY.has(name))
      throw refuse(`the option ${nameInline(name)}`, `Use only ${[...KNOWN].join(", ")}.`);
    if (name === "sslmode" && !SSL_MODES.includes(value))
      throw refuse(`sslmode=${nameInline(value)}`, `Use one of ${SSL_MODES.join(", ")}.`);
    if (name === "ssl" && !SSL_VALUES.includes(value))
      throw refuse(`ssl=${nameInline(value)}`, "Use sslmode=verify-full or sslmode=disable.");
  }
}

function parseTimeout(seconds: string | null): number {
  if (seconds === null) return CONNECT_TIMEOUT_MS;
  if (!/^\d{1,6}$/.test(seconds)) throw refuse(`connect_timeout=${nameInline(seconds)}`, "Use a number of seconds.");
  // libpq treats 1 second as 2, and 0 as no timeout; here 0 means the default.
  return Number(seconds) === 0 ? CONNECT_TIMEOUT_MS : Number(seconds) * 1000;
}

/** Returns pg's interpretation of the address, with its defaults and environment, without a connection. */
function interpretAddress(connectionString: string | undefined): {
  readonly host: string;
  readonly port: number;
  readonly password: string | undefined;
  readonly ssl: unknown;
} {
  const { Client } = pgClient();
  try {
    const { host, port, password, ssl } = new Client(connectionString === undefined ? {} : { connectionString });
    return { host, port, ssl, password: typeof password === "string" ? password : undefined };
  } catch (error) {
    // pg names a file of sslrootcert and the like that it cannot read, or a value that it does not know; about the
    // address itself it only reports "Invalid URL".
    throw refuse(
      `an address that cannot be used: ${quotedInline(error instanceof Error ? error.message : String(error), 200)}`,
      "Correct it.",
    );
  }
}

/** Returns warnings about connections to other machines. */
function tlsWarnings(host: string, ssl: unknown): string[] {
  if (isThisMachine(host)) return [];
  const how =
    "Add sslmode=verify-full to its address, and sslrootcert=<file> if an authority of your own signed its " +
    "certificate.";
  const server = `the PostgreSQL server ${nameInline(host)}`;
  if (ssl === false)
    return [
      `${server} is reached without TLS: anybody on the network path can read and change the work, and read the ` +
        `password. ${how}`,
    ];
  const { rejectUnauthorized, checkServerIdentity } = (typeof ssl === "object" && ssl !== null ? ssl : {}) as {
    rejectUnauthorized?: unknown;
    checkServerIdentity?: unknown;
  };
  if (rejectUnauthorized === false)
    return [
      `${server} is reached with TLS, but its certificate is not verified: anybody on the network path can pass for ` +
        `it. ${how}`,
    ];
  if (checkServerIdentity !== undefined)
    return [
      `${server} is reached with TLS, but the name in its certificate is not verified: any server with a certificate ` +
        `of that authority can pass for it. ${how}`,
    ];
  return [];
}

function refuse(found: string, todo = "Write the address in that form."): Error {
  return continuityError("bad-input", { expected: EXPECTED, found, todo: `${todo} Nothing was opened.` });
}
