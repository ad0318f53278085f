/** A folder as a tarball that is the same, byte for byte, whoever packs it, where and when. */
import { createHash } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { basename, dirname } from "node:path";
import { Deflate } from "pako";
import { create } from "tar";
import { filesIn } from "../../harness/tree.ts";

/** The time that npm gives every file it packs. */
const MTIME = new Date("1985-10-26T08:15:00.000Z");
const [PLAIN, EXECUTABLE] = [0o644, 0o755];

/** What was written. */
export interface Packed {
  readonly size: number;
  readonly sha256: string;
}

/**
 * Packs the files of `folder`, which npm wants to be named `package`. Nothing of this machine goes in: names are
 * sorted, times, owners and modes fixed; of a mode only the executable bit counts. The gzip is pako's, because what
 * Node's own zlib gives depends on its version and on the processor. `level` is gzip's, 1 to 9.
 */
export async function packFolder(folder: string, path: string, level = 6): Promise<Packed> {
  const out = openSync(path, "wx");
  try {
    const hash = createHash("sha256");
    let size = 0;
    const gzip = new Deflate({ gzip: true, level: level as 6 });
    gzip.onData = (bytes: Uint8Array) => {
      hash.update(bytes);
      size += writeSync(out, bytes);
    };
    const name = basename(folder);
    const entries = create(
      {
        cwd: dirname(folder),
        portable: true,
        strict: true,
        noDirRecurse: true,
        mtime: MTIME,
        onWriteEntry: ({ stat }) => {
          if (stat !== undefined) stat.mode = (stat.mode & 0o100) === 0 ? PLAIN : EXECUTABLE;
        },
      },
      filesIn(folder).map((file) => `${name}/${file}`),
    );
    for await (const bytes of entries) gzip.push(bytes as Uint8Array, false);
    gzip.push(new Uint8Array(0), true);
    if (gzip.err !== 0)
      throw new Error(`expected ${path} to be compressed; found pako's error ${gzip.err} ${gzip.msg}`);
    return { size, sha256: hash.digest("hex") };
  } finally {
    closeSync(out);
  }
}
