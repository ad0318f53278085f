import { basename } from "node:path";

const COPY = /\.integrity-([0-9a-f]{12})\.bak$/;

/**
 * The name under which an archive is shown to users, and by which `sessions restore` finds it: the hash in the name of
 * a transcript's copy, or the name of a manifest without its extension.
 */
export function toArchiveId(path: string): string {
  const name = basename(path);
  return COPY.exec(name)?.[1] ?? name.replace(/\.json$/, "");
}
