import type { Source, SuspectedCard } from "../../harness/rules/card.ts";
import type { NamedCard } from "../../harness/rules/index.ts";

const SUSPECTED_HEAD = "| API | refused | in these words | seen | what the recovery does |\n|-|-|-|-|-|";
const HEAD = "| refused | where | in these words | seen | what healing does |\n|-|-|-|-|-|";

/** The Markdown table of what only a refusal can tell. */
function tableOfSuspected(cards: readonly SuspectedCard[]): string {
  const rows = cards.map(({ api, what, error, sources, heals }) =>
    [api, what, `"${error}"`, sources.map(seen).join(", "), heals].map(cell).join(" | "),
  );
  return [SUSPECTED_HEAD, ...rows.map((row) => `| ${row} |`)].join("\n");
}

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
 * Returns the document with the tables of the cards between its marks, `<!-- cards <api> -->` or
 * `<!-- cards suspected -->`, and `<!-- end -->`. Throws when one has no marks.
 */
export function withTables(document: string, cards: readonly NamedCard[], suspected: readonly SuspectedCard[]): string {
  const apis = [...new Set(cards.map(({ api }) => api))];
  return apis.reduce<string>(
    (text, api) => inserted(text, api, tableOf(cards.filter((card) => card.api === api))),
    inserted(document, "suspected", tableOfSuspected(suspected)),
  );
}

function inserted(text: string, name: string, table: string): string {
  const begin = `<!-- cards ${name} -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf("<!-- end -->", from);
  if (from < 0 || to < 0)
    throw new Error(`Expected the marks ${begin} and <!-- end --> in the document, found none. Add them.`);
  return `${text.slice(0, from + begin.length)}\n\n${table}\n\n${text.slice(to)}`;
}
