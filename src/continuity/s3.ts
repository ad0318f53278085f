import { S3mini } from "s3mini";
import { continuityError } from "./errors.ts";
import type { ObjectStorage } from "./store.ts";

/** S3-compatible storage. */
export interface S3Options {
  /** The bucket's address, e.g. `https://s3.eu-central-1.amazonaws.com/bucket`. */
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region?: string;
  /** Put before each object's name, e.g. `continuity/`. */
  readonly prefix?: string;
  /** After which a storage that does not answer is given up, 10 s by default: a command waits for its snapshot. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/** Objects in an S3 bucket. What the storage refuses or does not answer is thrown as `unavailable`. */
export function s3Storage({ prefix = "", region = "auto", timeoutMs = TIMEOUT_MS, ...options }: S3Options): ObjectStorage {
  const s3 = new S3mini({ ...options, region, requestAbortTimeout: timeoutMs });
  return {
    async put(name, bytes) {
      await asked(`store ${name}`, () => s3.putObject(prefix + name, Buffer.from(bytes)));
    },
    async get(name) {
      const found = await asked(`give ${name}`, () => s3.getObjectArrayBuffer(prefix + name));
      return found === null ? undefined : new Uint8Array(found);
    },
    async remove(name) {
      await asked(`remove ${name}`, () => s3.deleteObject(prefix + name));
    },
  };
}

async function asked<T>(what: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw continuityError("unavailable", { expected: `the object storage to ${what}`, found: error instanceof Error ? error.message : String(error), todo: "See that it can be reached and lets these keys read and write.", cause: error });
  }
}
