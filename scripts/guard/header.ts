/** What stands at the top of the built guard, which lies in other packages without any file beside it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readLicence, type LicensedPackage } from "../notices/licence.ts";
import { packageFolders } from "../notices/modules.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));

interface HeaderPlugin {
  readonly name: string;
  renderChunk(code: string, chunk: { readonly moduleIds: readonly string[] }): string;
}

/** A plugin of the bundler that puts the header above each file; it fails on a package without known terms. */
export function putHeader(): HeaderPlugin {
  const { version } = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as {
    readonly version: string;
  };
  const licence = readFileSync(join(REPOSITORY, "LICENSE"), "utf8");
  return {
    name: "put-header",
    renderChunk: (code, { moduleIds }) => {
      const bundled = packageFolders(moduleIds).map((folder) => readLicence(join(REPOSITORY, folder)));
      return `${headerText(version, licence, bundled)}${code}`;
    },
  };
}

/**
 * Name, version and licence of this project, then each bundled package with its version and the texts of its licence:
 * what their terms ask of somebody who copies the file alone. One comment, whatever the texts contain.
 */
export function headerText(version: string, licence: string, bundled: readonly LicensedPackage[]): string {
  const lines = [
    `openclaw-integrity ${version}: the guard. Lines in OpenClaw's own files call what it exports.`,
    bundled.length === 0 ? "It contains no code of other packages." : "It contains code of the packages named below.",
    "",
    ...licence.trim().split("\n"),
    ...bundled.flatMap(({ name, version: theirs, licence: terms, texts }) => [
      "",
      `${name} ${theirs} (${terms})`,
      ...texts.flatMap((text) => ["", ...text.split("\n")]),
    ]),
  ];
  const inside = lines.map((line) => ` * ${line.replaceAll("*/", "* /")}`.trimEnd());
  return ["/*!", ...inside, " */", ""].join("\n");
}
