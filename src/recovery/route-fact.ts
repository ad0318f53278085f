import { isObject, type JsonObject } from "../transcript/json/json.ts";

/**
 * Something that a route (API, provider, address, model) does not take, or how much of it. Data about form: it is kept
 * in the journal, and holds no word of a conversation.
 */
export type RouteFact =
  | { readonly what: "no_pictures" }
  /** The most pictures that one request may have. */
  | { readonly what: "most_pictures"; readonly most: number }
  /** The largest picture, in characters of base64. */
  | { readonly what: "largest_picture"; readonly bytes: number }
  /** The longest side of a picture. */
  | { readonly what: "longest_side"; readonly pixels: number }
  /** The longest side of a picture in a request that has more pictures than `above`. */
  | { readonly what: "longest_side_of_many"; readonly pixels: number; readonly above: number }
  | { readonly what: "no_documents" }
  /** The content of a message has to be text: a list of parts is refused. */
  | { readonly what: "text_only" }
  /** Text in a list of parts is refused where it could be one text (Chat Completions). */
  | { readonly what: "no_text_parts" }
  /** A block or item of a type that no known form has is refused. */
  | { readonly what: "no_new_types" }
  /** The role `developer` is refused. */
  | { readonly what: "no_developer_role" }
  /** A system prompt is refused, in whatever role. */
  | { readonly what: "no_system_role" }
  /** User and assistant have to alternate strictly. */
  | { readonly what: "strict_roles" }
  /** The last message has to be the user's. */
  | { readonly what: "no_trailing_assistant" }
  /** Thinking that was made up to `until` (milliseconds since 1970) is refused: somebody else has signed it. */
  | { readonly what: "no_earlier_thinking"; readonly until: number }
  /** How many tokens a request may have. */
  | { readonly what: "context_size"; readonly tokens: number }
  /** How many characters a hundred tokens have, measured while the model declared to take so many tokens. */
  | { readonly what: "token_size"; readonly hundredths: number; readonly declared: number };

/** Names of {@link RouteFact}s, each with the numbers that belong to it. */
const FIELDS: Readonly<Record<RouteFact["what"], readonly string[]>> = {
  no_pictures: [],
  most_pictures: ["most"],
  largest_picture: ["bytes"],
  longest_side: ["pixels"],
  longest_side_of_many: ["pixels", "above"],
  no_documents: [],
  text_only: [],
  no_text_parts: [],
  no_new_types: [],
  no_developer_role: [],
  no_system_role: [],
  strict_roles: [],
  no_trailing_assistant: [],
  no_earlier_thinking: ["until"],
  context_size: ["tokens"],
  token_size: ["hundredths", "declared"],
};

/** Returns a fact as it was stored; undefined where a name or number is not one that this version knows. */
export function readFact(what: string, value: unknown): RouteFact | undefined {
  if (!Object.hasOwn(FIELDS, what)) return undefined;
  const fact: JsonObject = { what };
  for (const field of FIELDS[what as RouteFact["what"]]) {
    const number = isObject(value) ? value[field] : undefined;
    if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 0) return undefined;
    fact[field] = number;
  }
  return fact as unknown as RouteFact;
}

/** Returns the numbers of a fact, which {@link readFact} reads. */
export function factNumbers({ what: _what, ...numbers }: RouteFact): Readonly<Record<string, number>> {
  return numbers;
}

/** Returns the facts with these in the place of earlier ones of their kind, in the order in which they came. */
export function withFacts<Fact extends RouteFact>(facts: readonly Fact[], more: readonly Fact[]): Fact[] {
  const byName = new Map<string, Fact>();
  for (const fact of [...facts, ...more]) {
    byName.delete(fact.what);
    byName.set(fact.what, fact);
  }
  return [...byName.values()];
}

/** Returns a sentence about what a route does, for a person. */
export function factText(fact: RouteFact): string {
  switch (fact.what) {
    case "no_pictures":
      return "takes no pictures";
    case "most_pictures":
      return `takes ${fact.most} pictures in a request at most`;
    case "largest_picture":
      return `takes no picture of more than ${fact.bytes} characters of base64`;
    case "longest_side":
      return `takes no picture with a side of more than ${fact.pixels} pixels`;
    case "longest_side_of_many":
      return (
        `takes no picture with a side of more than ${fact.pixels} pixels where a request has more ` +
        `than ${fact.above}`
      );
    case "no_documents":
      return "takes no documents";
    case "text_only":
      return "takes text only, and no lists of parts";
    case "no_text_parts":
      return "takes no text in parts";
    case "no_new_types":
      return "takes no blocks of unknown types";
    case "no_developer_role":
      return "does not know the role developer";
    case "no_system_role":
      return "takes no system prompt";
    case "strict_roles":
      return "wants user and assistant in strict alternation";
    case "no_trailing_assistant":
      return "wants the last message to be the user's";
    case "no_earlier_thinking":
      return `refuses thinking of ${new Date(fact.until).toISOString()} and before`;
    case "context_size":
      return `takes ${fact.tokens} tokens in a request at most`;
    case "token_size":
      return `counts a token for ${(fact.hundredths / 100).toFixed(1)} characters`;
  }
}
