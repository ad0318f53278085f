/** A page with a row and a section for each source tree, of which a call writes those that it has run. */

/** What the page says of one release. */
export interface Entry {
  readonly release: string;
  /** The row of the table, its first cell is the release. */
  readonly row: string;
  /** The section's text, from its heading on. */
  readonly section: string;
}

/** The entries of the new run, and those that a page has of other releases, in the releases' order. */
export function withOthers(entries: readonly Entry[], page: string): readonly Entry[] {
  const own = new Set(entries.map(({ release }) => release));
  const others = parseEntries(page).filter(({ release }) => !own.has(release));
  return [...entries, ...others].toSorted((one, other) =>
    one.release.localeCompare(other.release, "en", { numeric: true }),
  );
}

/** The command as a reader can give it: sources by their names, no path of this machine. */
export function formatCommand(script: string, words: readonly string[], source: string): string {
  const shown = words.flatMap((word, at) => {
    if (words[at - 1] === "--source" || word === "--source") return [];
    return word.startsWith("--source=") ? [] : [word.includes("*") ? `'${word}'` : word];
  });
  return [`npm run ${script} --`, "--source", source, ...shown].join(" ");
}

function parseEntries(page: string): readonly Entry[] {
  const rows = page.split("\n").filter((line) => line.startsWith("| "));
  return page
    .split(/^(?=## )/m)
    .slice(1)
    .flatMap((text) => {
      const release = text.slice(3, text.indexOf("\n"));
      const row = rows.find((line) => line.startsWith(`| ${release} |`));
      return row === undefined ? [] : [{ release, row, section: text.trimEnd() }];
    });
}
