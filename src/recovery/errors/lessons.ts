import type { RouteFact } from "../route-fact.ts";
import { LARGEST_PICTURE, LONGEST_SIDE, LONGEST_SIDE_OF_MANY, MOST_PICTURES } from "./patterns/picture-limits.ts";
import {
  NO_DEVELOPER_ROLE,
  NO_DOCUMENTS,
  NO_PICTURES,
  NO_SYSTEM_ROLE,
  NO_TEXT_PARTS,
  TEXT_ONLY,
  USER_LAST,
} from "./patterns/route.ts";
import { says, type Saying } from "./patterns/saying.ts";
import { CONTEXT_SIZE } from "./patterns/size-limits.ts";
import { readSize } from "./read-size.ts";

/** Anthropic counts the pictures of a request as many from here on. */
const MANY_PICTURES = 20;

/**
 * Returns what a refusal tells of its route in known words: what the route does not take, and how much it takes of
 * what. `words` are in the spelling of the patterns. Linear in the words.
 */
export function lessonsIn(words: string): RouteFact[] {
  const facts: RouteFact[] = [];
  const most = numberIn(MOST_PICTURES, words);
  if (most === 0 || says(NO_PICTURES, words)) facts.push({ what: "no_pictures" });
  else if (most !== undefined) facts.push({ what: "most_pictures", most });
  const bytes = numberIn(LARGEST_PICTURE, words);
  if (bytes !== undefined) facts.push({ what: "largest_picture", bytes });
  const pixels = numberIn(LONGEST_SIDE, words);
  if (pixels !== undefined) facts.push({ what: "longest_side", pixels });
  const ofMany = numberIn(LONGEST_SIDE_OF_MANY, words);
  if (ofMany !== undefined) facts.push({ what: "longest_side_of_many", pixels: ofMany, above: MANY_PICTURES });
  if (says(NO_DOCUMENTS, words)) facts.push({ what: "no_documents" });
  if (says(TEXT_ONLY, words)) facts.push({ what: "text_only" });
  if (says(NO_TEXT_PARTS, words)) facts.push({ what: "no_text_parts" });
  if (says(NO_DEVELOPER_ROLE, words)) facts.push({ what: "no_developer_role" });
  if (says(NO_SYSTEM_ROLE, words)) facts.push({ what: "no_system_role" });
  if (says(USER_LAST, words)) facts.push({ what: "no_trailing_assistant" });
  const tokens = readSize(CONTEXT_SIZE, words)?.limit;
  if (tokens !== undefined) facts.push({ what: "context_size", tokens });
  return facts;
}

function numberIn(sayings: readonly Saying[], words: string): number | undefined {
  for (const [, said] of sayings) {
    const number = Number(said.exec(words)?.[1]?.replaceAll(",", ""));
    if (Number.isSafeInteger(number)) return number;
  }
  return undefined;
}
