import { replaceSection } from "../../harness/replace-section.ts";
import type { Source, SuspectedCard } from "../../harness/rules/card.ts";
import type { NamedCard } from "../../harness/rules/index.ts";

const WIDTH = 120;
/** Enough of the provider's words to find them by; the card has all. */
const MAX_QUOTED = 40;

/** The Markdown list of what only a refusal can tell. */
function listOfSuspected(cards: readonly SuspectedCard[]): string {
  return cards.map((card) => item(`\`${card.api}\``, card)).join("\n");
}

/** The Markdown list of an API's cards. */
function listFor(cards: readonly NamedCard[]): string {
  return cards.map((card) => item(card.where === undefined ? undefined : `**${card.where}**`, card)).join("\n");
}

/** A card in one point of a list: who refuses what, in which words, where these were seen, and what is done. */
function item(who: string | undefined, { what, error, sources, heals }: NamedCard | SuspectedCard): string {
  const refused = who === undefined ? what : `${who}: ${what}`;
  return wrapped(`- ${refused} ("${beginning(error)}", ${seen(sources[0])}): ${heals}`);
}

/** The whole words at the beginning of an error. */
function beginning(error: string): string {
  if (error.length <= MAX_QUOTED) return error;
  return `${error.slice(0, error.lastIndexOf(" ", MAX_QUOTED))} …`;
}

/** The first source of a card stands for all of them. */
function seen(source: Source): string {
  if ("recorded" in source) return `recorded, line ${source.recorded + 1}`;
  return "report" in source ? source.report : `recorded by ${source.recording.split(":")[0]}`;
}

function wrapped(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line.length + 1 + word.length > WIDTH) lines.push(`  ${word}`);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join("\n");
}

/**
 * Returns the document with the lists of the cards between its marks, `<!-- cards <api> -->` or
 * `<!-- cards suspected -->`, and `<!-- end -->`. Throws when one has no marks.
 */
export function withLists(document: string, cards: readonly NamedCard[], suspected: readonly SuspectedCard[]): string {
  const apis = [...new Set(cards.map(({ api }) => api))];
  return apis.reduce<string>(
    (text, api) => replaceSection(text, `cards ${api}`, listFor(cards.filter((card) => card.api === api))),
    replaceSection(document, "cards suspected", listOfSuspected(suspected)),
  );
}
