import type { LicensedPackage } from "./licence.ts";
import type { Contents } from "./modules.ts";

const RULE = "-".repeat(80);

/**
 * THIRD_PARTY_NOTICES: what of others is in which file, and under which terms. `licences` by the folder of the package.
 */
export function noticesText(contents: Contents, licences: ReadonlyMap<string, LicensedPackage>): string {
  const named = (folder: string): string => `${licences.get(folder)!.name} ${licences.get(folder)!.version}`;
  const files = [...contents]
    .filter(([, folders]) => folders.length > 0)
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
  const packages = [...licences.values()].toSorted((left, right) =>
    left.name < right.name || (left.name === right.name && left.version < right.version) ? -1 : 1,
  );
  return [
    "Software of others in openclaw-integrity",
    "",
    "openclaw-integrity itself is under the licence in LICENSE. These of its files contain code of others as well, which is under the licences below:",
    "",
    ...files.flatMap(([file, folders]) => [
      `${file}:`,
      ...folders.map((folder) => `  ${named(folder)} (${licences.get(folder)!.licence})`),
      "",
    ]),
    "Every other file of dist contains none. What is put into OpenClaw (dist/guard.mjs) is one of them.",
    "",
    "This file is made by `npm run generate notices` from what the bundler put into each file.",
    "",
    ...packages.flatMap(({ name, version, licence, texts }) => [
      RULE,
      `${name} ${version} (${licence})`,
      RULE,
      "",
      ...texts.flatMap((text) => [text, ""]),
    ]),
  ].join("\n");
}
