import { S3mini, S3ServiceError } from "s3mini";
import { maskSecrets } from "../../base/mask-secrets.ts";
import { nameInline, quotedInline, valueInline } from "../../base/quoted.ts";
import { isThisMachine } from "../../base/this-machine.ts";
import { ContinuityError, continuityError } from "../base/errors.ts";
import type { ObjectStorage } from "../ledger/store.ts";

/** Options of an S3-compatible storage. */
export interface S3Options {
  /** The bucket's address, e.g. `https://s3.eu-central-1.amazonaws.com/bucket`. */
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region?: string;
  /** Prefix of each object's name, e.g. `continuity/`. */
  readonly prefix?: string;
  /** Timeout of a request, 10 s by default: a command waits for its snapshot. */
  readonly timeoutMs?: number;
  /** Called with each warning for the author of the address, such as a connection to another machine without TLS. */
  readonly warn?: ((warning: string) => void) | undefined;
}

/** Objects in a bucket. */
export interface S3Storage extends ObjectStorage {
  /**
   * Throws `not-writable` when the bucket does not exist or the storage does not know the keys, and `unavailable` when
   * it does not answer. Stores nothing.
   */
  check(): Promise<void>;
}

const TIMEOUT_MS = 10_000;
const LONGEST_REASON = 300;
/** Name of an object that never exists. */
const PROBE = "openclaw-integrity-probe";
const UNKNOWN_KEYS = /^(?:InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken|ExpiredToken|TokenRefreshRequired)$/;

/**
 * Returns the object storage of an S3 bucket. Throws `bad-input` for an invalid address. Its methods throw
 * `unavailable` when the storage refuses or does not answer. No message contains the secret key.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { Continuity, openSqliteStore, s3Storage } from "openclaw-integrity/continuity";
 *
 * const objects = s3Storage({
 *   endpoint: "https://s3.eu-central-1.amazonaws.com/bucket",
 *   accessKeyId: "id",
 *   secretAccessKey: "secret",
 *   prefix: "continuity/",
 * });
 * // await objects.check() asks the storage whether it knows the bucket and the keys.
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }), objects });
 * await continuity.close();
 * assert.throws(() => s3Storage({ endpoint: "bucket", accessKeyId: "id", secretAccessKey: "secret" }), {
 *   code: "bad-input",
 * });
 * ```
 */
export function s3Storage({
  prefix = "",
  region = "auto",
  timeoutMs = TIMEOUT_MS,
  warn,
  ...options
}: S3Options): S3Storage {
  const { secretAccessKey } = options;
  const { origin, protocol, hostname } = checkedEndpoint(options.endpoint);
  const s3 = new S3mini({ ...options, region, requestAbortTimeout: timeoutMs });
  if (protocol === "http:" && !isThisMachine(hostname))
    warn?.(
      `the object storage ${nameInline(origin)} is reached without TLS: anybody on the network path can read and ` +
        "change what is stored there. Use https:// in its address.",
    );
  const asked = async <T>(what: string, request: () => Promise<T>): Promise<T> => {
    try {
      return await request();
    } catch (error) {
      throw unavailable(what, quotedInline(maskSecrets(describeS3Error(error), [secretAccessKey]), LONGEST_REASON), {
        todo: suggestTodo(error),
        cause: error,
      });
    }
  };
  const get = async (name: string, what = `return ${nameInline(name)}`): Promise<Uint8Array | undefined> => {
    const found = await asked(what, () => s3.getObjectArrayBuffer(prefix + name));
    if (found !== null) return new Uint8Array(found);
    // A missing bucket and a missing object have the same answer.
    if (!(await asked("report whether the bucket exists", () => s3.bucketExists())))
      throw unavailable(what, "no bucket at its address", { todo: NO_BUCKET });
    return undefined;
  };
  return {
    async put(name, bytes) {
      await asked(`store ${nameInline(name)}`, () => s3.putObject(prefix + name, Buffer.from(bytes)));
    },
    get: (name) => get(name),
    async remove(name) {
      await asked(`remove ${nameInline(name)}`, () => s3.deleteObject(prefix + name));
    },
    async check() {
      try {
        await get(PROBE, "answer");
      } catch (error) {
        const { cause, message } = error as Error;
        const code = readErrorCode(cause);
        // Without the right to list a bucket, a missing object is refused.
        if (code === "AccessDenied") return;
        if (cause === undefined || UNKNOWN_KEYS.test(code) || code === "NoSuchBucket")
          throw new ContinuityError("not-writable", message, { cause });
        throw error;
      }
    },
    async list(start) {
      const found = await asked(`list ${start}`, () => s3.listObjects("/", prefix + start));
      return (found ?? []).map(({ Key }) => Key.slice(prefix.length));
    },
  };
}

const NO_BUCKET = "Create the bucket, or name another one in the endpoint: https://<host>/<bucket>.";

function unavailable(
  what: string,
  found: string,
  { todo, cause }: { readonly todo: string; readonly cause?: unknown },
): Error {
  return continuityError("unavailable", { expected: `the object storage to ${what}`, found, todo, cause });
}

/** Parses the address, which no message shows because it may contain a secret. */
function checkedEndpoint(endpoint: unknown): URL {
  if (typeof endpoint !== "string" || endpoint.trim() === "")
    throw refuse(typeof endpoint === "string" ? "an empty text" : valueInline(endpoint));
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || !/^https?:\/\//i.test(endpoint.trim()))
    throw refuse(
      url && url.hostname !== ""
        ? `an address that begins with ${url.protocol}`
        : "an address without https://, or one that cannot be parsed",
    );
  if (url.username !== "" || url.password !== "") throw refuse("an address with a user or password in it");
  return url;
}

function refuse(found: string): Error {
  return continuityError("bad-input", {
    expected: "the address of a bucket in an object storage, https://<host>/<bucket>",
    found,
    todo: "Write the address in that form; the keys have options of their own. Nothing was opened.",
  });
}

function readErrorCode(error: unknown): string {
  if (!(error instanceof S3ServiceError)) return "";
  return /<Code>(\w{1,80})<\/Code>/.exec(error.body ?? "")?.[1] ?? error.serviceCode ?? "";
}

function describeS3Error(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = readErrorCode(error);
  if (error instanceof S3ServiceError) return `status ${error.status}${code === "" ? "" : `, ${code}`}`;
  // fetch reports the reason only in the cause.
  const { cause } = error;
  return cause instanceof Error
    ? `${error.message}: ${(cause as NodeJS.ErrnoException).code ?? cause.message}`
    : error.message;
}

function suggestTodo(error: unknown): string {
  const code = readErrorCode(error);
  if (code === "NoSuchBucket") return NO_BUCKET;
  if (error instanceof S3ServiceError && error.status === 403)
    return "Check the keys, and whether they may read and write in the bucket.";
  return "Check that the storage can be reached and lets these keys read and write.";
}
