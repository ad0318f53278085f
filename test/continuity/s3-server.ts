import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "s3rver";
import { type S3Storage, s3Storage } from "../../src/continuity/index.ts";

/** An S3 server of this test's own, with its objects in a folder. */
export interface PrivateS3 {
  storage(options?: { readonly prefix?: string; readonly accessKeyId?: string; readonly bucket?: string }): S3Storage;
  /** The bucket's address. */
  endpoint(bucket?: string): string;
  /** The names of all objects. */
  names(): string[];
  /** Reaches around S3: changes an object's bytes. */
  tamper(name: string, change: (bytes: Buffer) => Buffer | undefined): void;
  /**
   * Undoes that. The server itself answers a PUT before the bytes are in the file, so that a GET behind it may find
   * none.
   */
  restore(name: string, bytes: Uint8Array): void;
  /** The server goes; `start` brings it back with its objects, at the same address. */
  stop(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

const BUCKET = "continuity";
const SUFFIX = "._S3rver_object";

/** Starts one. */
export async function startS3(): Promise<PrivateS3> {
  const directory = mkdtempSync(join(tmpdir(), "occo-s3-"));
  let [server, port]: [S3rver | undefined, number] = [undefined, 0];
  const start = async (): Promise<void> => {
    server = new S3rver({ port, address: "127.0.0.1", silent: true, directory, configureBuckets: [{ name: BUCKET }] });
    ({ port } = await server.run());
  };
  const stop = async (): Promise<void> => {
    await server?.close();
    server = undefined;
  };
  const bucket = join(directory, BUCKET);
  await start();
  const endpoint = (name = BUCKET): string => `http://127.0.0.1:${port}/${name}`;
  return {
    start,
    stop,
    endpoint,
    storage: ({ prefix, accessKeyId = "S3RVER", bucket: name } = {}) =>
      s3Storage({
        endpoint: endpoint(name),
        accessKeyId,
        secretAccessKey: "S3RVER",
        region: "us-east-1",
        ...(prefix === undefined ? {} : { prefix }),
      }),
    names: () =>
      readdirSync(bucket, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(SUFFIX))
        .map((name) => name.slice(0, -SUFFIX.length))
        .toSorted(),
    tamper: (name, change) => {
      const file = join(bucket, name + SUFFIX);
      const changed = change(readFileSync(file));
      if (changed) writeFileSync(file, changed);
      else rmSync(file);
    },
    restore: (name, bytes) => writeFileSync(join(bucket, name + SUFFIX), bytes),
    remove: async () => {
      await stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
