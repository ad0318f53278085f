/** The list of files in package.json, which decides what is left of a package that is packed again. */
import { patchError } from "../../src/patching/base/errors.ts";

const LIST = /("files": \[\n)( *)(?=")/;

/**
 * The text of package.json with our files in its list; every other character stays as it is. Without a list nothing is
 * needed.
 */
export function withPackageFiles(text: string, files: readonly string[]): string {
  const listed: unknown = (JSON.parse(text) as { readonly files?: unknown }).files;
  if (listed === undefined) return text;
  const added = text.replace(
    LIST,
    (_, start: string, indent: string) =>
      start + files.map((file) => `${indent}${JSON.stringify(file)},\n`).join("") + indent,
  );
  if (added !== text && JSON.stringify(parsedFiles(added)) === JSON.stringify([...files, ...(listed as string[])]))
    return added;
  throw patchError("point-mismatch", {
    expected: 'package.json to list its files one a line behind "files": [',
    found: "another form",
    todo: "Adapt scripts/distribution/package-files.ts to this release.",
  });
}

function parsedFiles(text: string): unknown {
  return (JSON.parse(text) as { readonly files?: unknown }).files;
}
