/** The licence of a package, as the package itself tells it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A package of others and what has to be said of it. */
export interface LicensedPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX identifier. */
  readonly licence: string;
  /** The texts of its licence and its notices. */
  readonly texts: readonly string[];
}

/**
 * Those whose terms ask for no more than that their text goes along. Another one has to be looked at by a person first.
 */
const KNOWN = new Set(["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Apache-2.0"]);
const FILE = /^(?:licen[cs]e|copying|notices?|third-party-licen[cs]es?)(?:[.-].*)?$/i;

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/**
 * Reads the licence of the package in `folder`. Throws when it has none, one that nobody has looked at, or no text of
 * it.
 */
export function readLicence(folder: string): LicensedPackage {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly name?: string;
    readonly version?: string;
    readonly license?: unknown;
  };
  if (name === undefined || version === undefined)
    throw new Error(
      `expected a name and a version in ${folder}/package.json; found ${name ?? "no name"}, ${version ?? "no version"}. Look what it is.`,
    );
  if (typeof license !== "string" || !KNOWN.has(license)) {
    throw new Error(
      `expected ${name} ${version}, which is part of a bundle, to have one of the licences ${[...KNOWN].join(", ")}; found ${license === undefined ? "none" : JSON.stringify(license)}. Look whether its terms allow what is done, then enter it in scripts/notices/licence.ts, or use another package.`,
    );
  }
  const files = readdirSync(folder)
    .filter((file) => FILE.test(file))
    .toSorted();
  const texts = files.map((file) => text(join(folder, file)));
  const found = files.some((file) => /^(?:licen[cs]e|copying)/i.test(file))
    ? texts
    : [...texts, ...(textInReadme(folder, license) ?? [])];
  if (found.length > 0) return { name, version, licence: license, texts: found };
  throw new Error(
    `expected the text of the licence ${license} of ${name} ${version}; found neither a file nor a section of its README with the copyright. Ask its authors for it, or use another package.`,
  );
}

/** Some packages have it in their README only: whole, or the copyright and the licence's name. */
function textInReadme(folder: string, license: string): [string] | undefined {
  const readme = readdirSync(folder).find((file) => /^readme/i.test(file));
  const section =
    readme === undefined
      ? undefined
      : /^#+ *licen[cs]e *$([^]*?)(?=^#+ |(?![^]))/im.exec(text(join(folder, readme)))?.[1]?.trim();
  if (section === undefined || !/copyright/i.test(section)) return undefined;
  if (/permission is hereby granted/i.test(section)) return [section];
  return license === "MIT" ? [`${section}\n\n${MIT}`] : undefined;
}

function text(file: string): string {
  return readFileSync(file, "utf8").replaceAll("\r\n", "\n").trim();
}
