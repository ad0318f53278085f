import { createHash } from "node:crypto";
import { closeSync, fstatSync, lstatSync, openSync, readSync, type Stats } from "node:fs";
import { resolvePlace } from "../../base/files/index.ts";
import { transcriptArchivePath } from "./archive-file.ts";
import { unlessRefused, withDraft } from "./durable-file.ts";
import { storeError } from "../errors.ts";

const CHUNK = 1 << 20;

/**
 * Copies a transcript of any size to `<transcript>.integrity-<hash>.bak`, flushes the copy to the disk and returns its
 * path. With `link` the copy is a hard link where the file system allows it and takes no room: only for a transcript
 * that is replaced next, not written to. A file that has that name already counts as the archive when it has the same
 * bytes and, without `link`, is a separate file. Throws `not-writable`, `unsafe-path`, or `session-busy` when the
 * transcript changes while its bytes are copied; the transcript is not changed.
 */
export function copyTranscript(transcript: string, { link = false }: { readonly link?: boolean } = {}): string {
  const source = unlessRefused(transcript, () => resolvePlace(transcript, { shared: "allow" }).path);
  return withFile(transcript, source, (handle) => {
    const stat = fstatSync(handle);
    const hash = hashHandle(handle);
    const archive = transcriptArchivePath(transcript, hash);
    const present = lstatSync(archive, { throwIfNoEntry: false });
    if (present?.isFile() && (link || present.ino !== stat.ino) && withFile(archive, archive, hashHandle) === hash)
      return archive;
    writeArchive(archive, { handle, stat, source, link, hash });
    return archive;
  });
}

interface Kept {
  readonly handle: number;
  readonly stat: Stats;
  readonly source: string;
  readonly link: boolean;
  readonly hash: string;
}

/** Writes the archive by way of a draft: after a kill no partial copy has the archive's name. */
function writeArchive(archive: string, { handle, stat, source, link, hash }: Kept): void {
  const options = { owner: stat, shared: "allow", last: "replace" } as const;
  withDraft(
    archive,
    stat.mode,
    (draft) => {
      unlessRefused(archive, () => {
        if (link && draft.link(source)) return draft.put();
        const copied = createHash("sha256");
        draft.copy(handle, (bytes) => void copied.update(bytes));
        if (copied.digest("hex") === hash) return draft.put();
        throw storeError("session-busy", {
          expected: `no other process to write to ${source}`,
          found: "different content a moment later",
          todo: "Wait until OpenClaw has answered, and run it again. Nothing was changed.",
        });
      });
    },
    options,
  );
}

function hashHandle(handle: number): string {
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(CHUNK);
  for (let at = 0, read = 0; (read = readSync(handle, chunk, 0, CHUNK, at)) > 0; at += read)
    hash.update(chunk.subarray(0, read));
  return hash.digest("hex");
}

function withFile<Value>(named: string, file: string, work: (handle: number) => Value): Value {
  const handle = unlessRefused(named, () => openSync(file, "r"));
  try {
    return work(handle);
  } finally {
    closeSync(handle);
  }
}
