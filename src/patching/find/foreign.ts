import { strangerAt, TRUSTED_FOLDERS } from "../../base/files/index.ts";
import { shellWord } from "../../base/commands/shell-word.ts";
import { patchError } from "../base/errors.ts";

/**
 * Throws `openclaw-foreign` where another user of the machine decides what is at `path`: owns it or a folder or link on
 * the way to it, or can change one of them. Being named by the user is no proof: a path tells nothing of its content.
 * The error tells to add `folder` to {@link TRUSTED_FOLDERS} where that is wanted. Throws what the file system throws.
 */
export function assertNotForeign(path: string, folder: string): void {
  const stranger = strangerAt(path);
  if (stranger === undefined) return;
  throw patchError("openclaw-foreign", {
    expected: `no other user of the machine to decide what is in ${path}`,
    found: `${stranger.path}, which ${stranger.who}`,
    todo:
      `${stranger.todo}, change to another folder, or name the OpenClaw that you mean with --path or --global. ` +
      "If you trust whoever can change it with all that this user may do, " +
      `set ${TRUSTED_FOLDERS}=${shellWord(folder)}. ` +
      "Nothing of it was run, and nothing was changed.",
  });
}

/** Runs `look`. Where the system forbids that, and the folder at `path` is another user's, refuses that folder. */
export function refuseForeign<Value>(path: string, look: () => Value): Value {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") assertNotForeign(path, path);
    throw error;
  }
}
