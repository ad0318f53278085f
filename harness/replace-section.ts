/** The mark that ends each generated section of a document. */
const END = "<!-- end -->";

/**
 * Replaces what a document has between the mark `<!-- <name> -->` and the next `<!-- end -->`. Throws where the document
 * has no such marks.
 */
export function replaceSection(document: string, name: string, content: string): string {
  const begin = `<!-- ${name} -->`;
  const from = document.indexOf(begin);
  const to = document.indexOf(END, from);
  if (from < 0 || to < 0)
    throw new Error(`Expected the marks ${begin} and ${END} in the document, found none. Add them.`);
  return `${document.slice(0, from + begin.length)}\n\n${content}\n\n${document.slice(to)}`;
}
