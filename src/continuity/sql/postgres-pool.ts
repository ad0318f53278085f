/** Connections to PostgreSQL that need nothing of the session, so that a pooler may stand in between. */
import type pg from "pg";
import { valueInline } from "../../base/quoted.ts";
import { continuityError } from "../base/errors.ts";
import { fromBackup } from "../base/from-backup.ts";
import { pgClient } from "./pg-client.ts";
import type { PostgresAddress } from "./postgres-address.ts";

const CLOSING_MS = 2000;

/** Returns the settings of a connection to that address. Only options of the address itself are sent to the server. */
export function connectionSettings({ connectionString, options }: PostgresAddress): pg.ClientConfig {
  return {
    ...(connectionString === undefined ? {} : { connectionString }),
    ...(options === "" ? {} : { options }),
    types: rowTypes(),
  };
}

/** Rows have the same types as from SQLite: whole numbers as numbers, times as ISO texts, JSON as text. */
function rowTypes(): Pick<typeof pg.types, "getTypeParser"> {
  const { types } = pgClient();
  const parsers = new Map<number, (text: string) => unknown>([
    [types.builtins.INT8, safeInteger],
    [types.builtins.TIMESTAMPTZ, isoText],
    [types.builtins.JSONB, (text) => text],
  ]);
  const getTypeParser = (oid: number, format?: "text" | "binary"): unknown =>
    parsers.get(oid) ?? types.getTypeParser(oid, format as "text");
  return { getTypeParser: getTypeParser as typeof pg.types.getTypeParser };
}

/**
 * A pool whose connections fail when there is no answer in time. Such a connection is destroyed: what it waits for may
 * still be carried out by the server.
 */
export class PostgresPool {
  readonly options = {};
  readonly #pool: pg.Pool;
  readonly #tryMs: () => number;
  readonly #open = new Set<pg.PoolClient>();

  /** `tryMs` says how long a request that begins now may take. */
  constructor(address: PostgresAddress, { max, tryMs }: { readonly max: number; readonly tryMs: () => number }) {
    this.#tryMs = tryMs;
    this.#pool = new (pgClient().Pool)({
      ...connectionSettings(address),
      max,
      connectionTimeoutMillis: Math.min(address.connectTimeoutMs, tryMs()),
    });
    // A broken idle connection is replaced; the next query reports when no connection is possible.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => {
      // Without a listener, a connection that breaks between two statements of a transaction would end the process; the
      // next statement reports the break.
      client.on("error", () => undefined);
      this.#open.add(client);
      limitAnswers(client, tryMs);
    });
    this.#pool.on("remove", (client) => void this.#open.delete(client));
  }

  /** Lends a connection; `release` gives it back. */
  async connect(): Promise<pg.PoolClient> {
    const lent = this.#pool.connect();
    let isLate = false;
    return answeredWithin(lent, this.#tryMs(), () => {
      isLate = true;
    }).catch((error: unknown) => {
      if (isLate)
        lent.then(
          (client) => client.release(),
          () => undefined,
        );
      throw error;
    });
  }

  /** Closes all connections; those of a server that hangs are destroyed. */
  async end(): Promise<void> {
    const ending = this.#pool.end();
    const timer = setTimeout(() => {
      for (const client of this.#open) findSocket(client)?.destroy();
    }, CLOSING_MS);
    await ending;
    clearTimeout(timer);
  }
}

/**
 * Destroys a connection when a query on it is not answered in time. A text with several statements has the result of
 * the last one that returns rows.
 */
export function limitAnswers(client: pg.ClientBase, tryMs: () => number): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown;
  client.query = ((...given: unknown[]) => {
    const answer = query(...given);
    return answer instanceof Promise
      ? answeredWithin(answer, tryMs(), () => void findSocket(client)?.destroy()).then(lastResult)
      : answer;
  }) as typeof client.query;
}

/** Returns the result of a text of several statements: that of the last one that returns rows. */
function lastResult(results: unknown): unknown {
  if (!Array.isArray(results)) return results;
  return results.findLast(({ fields }: pg.QueryResult) => fields.length > 0) ?? results.at(-1);
}

async function answeredWithin<T>(answer: Promise<T>, milliseconds: number, isLate: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(Object.assign(new Error(`no answer within ${milliseconds / 1000} s`), { code: "ETIMEDOUT" }));
      isLate();
    }, milliseconds);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The socket of a connection, which pg does not declare. */
function findSocket(client: pg.ClientBase): { destroy: () => void } | undefined {
  return (client as { connection?: { stream?: { destroy: () => void } } }).connection?.stream;
}

function safeInteger(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw continuityError("damaged", {
    expected: "a number below 2^53",
    found: text,
    todo: `The store was changed from outside. ${fromBackup()}`,
  });
}

/**
 * Converts a time to ISO 8601, from any time zone of the session. The kernel writes at most milliseconds; a more
 * precise time is returned unchanged, so that the comparison with the ledger reports the row.
 */
function isoText(text: string): string {
  const [, day, time, fraction = "", sign, hours, minutes = "00", seconds] =
    /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/.exec(text) ?? [];
  if (day === undefined || fraction.length > 3 || seconds !== undefined) {
    if (day !== undefined || /^-?infinity$|BC$/.test(text)) return text;
    throw continuityError("unavailable", {
      expected: "times of PostgreSQL in the style ISO",
      found: valueInline(text),
      todo: "Set the style for the user: ALTER ROLE … SET datestyle = 'ISO'. Nothing was written.",
    });
  }
  const read = new Date(`${day}T${time}.${fraction.padEnd(3, "0")}${sign}${hours}:${minutes}`);
  return Number.isNaN(read.getTime()) ? text : read.toISOString();
}
