import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/**
 * Reads a file of at most `limit` bytes, also one that another user may have made: a pipe or a device in its place is
 * not waited for. Returns undefined for anything but a file, and for a longer one; throws what the file system throws.
 */
export function readRegular(path: string, limit: number): Buffer | undefined {
  const handle = openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile() || stat.size > limit) return undefined;
    const bytes = Buffer.alloc(stat.size);
    let length = 0;
    // A file that grows meanwhile is read as far as it was.
    while (length < bytes.length) {
      const read = readSync(handle, bytes, length, bytes.length - length, length);
      if (read === 0) break;
      length += read;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(handle);
  }
}
