import type { Source } from "../../harness/rules/card.ts";
import type { NamedCard } from "../../harness/rules/index.ts";

const HEAD = "| refused | where | in these words | seen | what healing does |\n|-|-|-|-|-|";

/** The Markdown table of an API's cards. */
function tableOf(cards: readonly NamedCard[]): string {
  const rows = cards.map(({ what, where = "everywhere", error, sources, heals }) =>
    [what, where, `"${error}"`, sources.map(seen).join(", "), heals].map(cell).join(" | "),
  );
  return [HEAD, ...rows.map((row) => `| ${row} |`)].join("\n");
}

function seen(source: Source): string {
  if ("recorded" in source) return `recorded, line ${source.recorded + 1}`;
  return "report" in source ? source.report : `recorded by ${source.recording.split(":")[0]}`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

/**
 * Returns the document with the tables of the cards between its marks, `<!-- cards <api> -->` and `<!-- end -->`. Throws
 * when an API has no marks.
 */
export function withTables(document: string, cards: readonly NamedCard[]): string {
  const apis = [...new Set(cards.map(({ api }) => api))];
  return apis.reduce((text, api) => {
    const begin = `<!-- cards ${api} -->`;
    const from = text.indexOf(begin);
    const to = text.indexOf("<!-- end -->", from);
    if (from < 0 || to < 0)
      throw new Error(`Expected the marks ${begin} and <!-- end --> in the document, found none. Add them.`);
    const table = tableOf(cards.filter((card) => card.api === api));
    return `${text.slice(0, from + begin.length)}\n\n${table}\n\n${text.slice(to)}`;
  }, document);
}
