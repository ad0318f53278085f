import { existsSync } from "node:fs";
import { Draft, UnsafePathError } from "../../base/files/index.ts";
import { refusedByDisk } from "../../base/file-trouble.ts";
import { ContinuityError, continuityError } from "../base/errors.ts";

const BUFFER_CHARACTERS = 1 << 16;

/**
 * Writes lines into a temporary file beside, which only its owner can read, and moves it into place when it is complete
 * and on the disk; returns what the lines return. Rejects with `not-writable` where the disk refuses, or a file is
 * there that may not be replaced; with an UnsafePathError; and with what the lines reject with.
 */
export async function writeLines<Summary>(
  lines: AsyncGenerator<string, Summary>,
  file: string,
  { replace = false }: { readonly replace?: boolean | undefined } = {},
): Promise<Summary> {
  const refuseExisting = (): never => {
    throw continuityError("not-writable", {
      expected: `no file ${file} yet`,
      found: "an existing file",
      todo: "Name another file, or move that one away. Nothing was written.",
    });
  };
  if (!replace && existsSync(file)) refuseExisting();
  let draft: Draft | undefined;
  try {
    draft = new Draft(file, { mode: 0o600, shared: "allow", last: "replace" });
    const summary = await written(lines, draft);
    if (replace) draft.put();
    else draft.putNew();
    return summary;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") refuseExisting();
    throw asWriteRefusal(error, file);
  } finally {
    draft?.close();
  }
}

/** Converts an error of the disk to `not-writable` for that file; returns every other error unchanged. */
function asWriteRefusal(error: unknown, file: string): unknown {
  const isOfDisk = (error as NodeJS.ErrnoException).syscall !== undefined;
  if (error instanceof ContinuityError || error instanceof UnsafePathError || !isOfDisk) return error;
  return continuityError(
    "not-writable",
    refusedByDisk(error, {
      expected: `to write ${file}`,
      asOwner: "Name a place that can be written to.",
      ending: "Nothing was written.",
    }),
  );
}

async function written<Summary>(lines: AsyncGenerator<string, Summary>, draft: Draft): Promise<Summary> {
  let buffered = "";
  for (;;) {
    const { done, value } = await lines.next();
    if (done) {
      draft.write(buffered);
      return value;
    }
    buffered += value;
    if (buffered.length < BUFFER_CHARACTERS) continue;
    draft.write(buffered);
    buffered = "";
  }
}
