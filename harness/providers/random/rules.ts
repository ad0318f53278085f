import type { Random } from "../../random.ts";
import type { Api } from "../../../src/providers/index.ts";
import type { Conversation, Piece } from "./conversation.ts";
import { splitBody, type Part } from "./parts.ts";

/** What a rule sees of a request. */
export interface Seen {
  parts: readonly Part[];
  raw: string;
  /** How many requests of the route came before. */
  nth: number;
}

/** What a random provider refuses, and nobody was told. */
export interface HiddenRule {
  kind: string;
  /** Of what it is: one part, either of two, several parts or the whole of a request; or nothing that can be found. */
  scope: "one" | "two" | "several" | "whole" | "chance";
  /** Words that may be missing once the refused part is left out: those of one of these lists. */
  mayMiss: readonly (readonly string[])[];
  /** The refused part, `whole` where it is none, undefined where the request is taken. */
  breach(seen: Seen): Part | "whole" | undefined;
}

/** What a rule can be made of. */
export interface Facts {
  random: Random;
  api: Api;
  conversation: Conversation;
  /** The marks of what a person will say while the rule is in force. */
  toSay: readonly string[];
}

/** What stands for the rule on a request, from its body. */
export function seenIn(api: Api, body: unknown, raw: string, nth = 0): Seen {
  return { parts: splitBody(api, body), raw, nth };
}

const NOTHING: HiddenRule["mayMiss"] = [[]];

/** The words of a whole part, which is refused for one of them: a message, and with calls also their results. */
function wordsBeside({ message }: Piece, { pieces, messages }: Conversation): string[] {
  const part = partStart(message, messages);
  return pieces.filter((piece) => partStart(piece.message, messages) === part).map(({ mark }) => mark);
}

/** The message that a part begins with. */
function partStart(message: number, messages: Conversation["messages"]): number {
  let at = message;
  while (messages[at]?.["role"] === "toolResult") at--;
  return at;
}

function word(kind: Piece["kind"]): Maker {
  return ({ random, conversation }) => {
    const all = conversation.pieces.filter((piece) => piece.kind === kind);
    if (all.length === 0) return undefined;
    const piece = random.pick(all);
    return {
      kind: `word in ${kind}`,
      scope: "one",
      mayMiss: [wordsBeside(piece, conversation)],
      breach: ({ parts, raw }) => holding(piece.mark, parts, raw),
    };
  };
}

function holding(mark: string, parts: readonly Part[], raw: string): Part | "whole" | undefined {
  if (!raw.includes(mark)) return undefined;
  return parts.find(({ words }) => words.includes(mark)) ?? "whole";
}

type Maker = (facts: Facts) => HiddenRule | undefined;

const first = (find: (part: Part, at: number, parts: readonly Part[]) => boolean): HiddenRule["breach"] => {
  return ({ parts }) => parts.find(find);
};

const form = (kind: string, scope: HiddenRule["scope"], breach: HiddenRule["breach"]): HiddenRule => {
  return { kind, scope, mayMiss: NOTHING, breach };
};

const bare = (id: string): string => id.replaceAll(/[^a-z\d]+/gi, "");

/** Refuses more than so many parts of these kinds. */
function atMost(most: number, isCounted: (part: Part) => boolean): HiddenRule["breach"] {
  return ({ parts }) => parts.filter(isCounted)[most];
}

const MAKERS: Record<string, Maker> = {
  question: word("question"),
  answer: word("answer"),
  argument: word("argument"),
  result: word("result"),
  newest: ({ random, toSay }) => {
    const mark = random.pick(toSay);
    return {
      kind: "word in a new message",
      scope: "one",
      mayMiss: [[mark]],
      breach: ({ parts, raw }) => holding(mark, parts, raw),
    };
  },
  tool: ({ random, conversation: { calls } }) => {
    if (calls.length === 0) return undefined;
    const { tool } = random.pick(calls);
    const isOne = calls.filter((call) => call.tool === tool).length === 1;
    return form(
      "call of a tool",
      isOne ? "one" : "several",
      first(({ kind, name }) => kind === "call" && name === tool),
    );
  },
  id: ({ random, conversation: { calls } }) => {
    if (calls.length === 0) return undefined;
    const id = bare(random.pick(calls).id);
    const isIt = ({ kind, id: found = "" }: Part): boolean =>
      (kind === "call" || kind === "result") && bare(found).includes(id);
    return form("id of a call", "one", first(isIt));
  },
  picture: ({ random, conversation: { pictures } }) => {
    if (pictures.length === 0) return undefined;
    const { data } = random.pick(pictures);
    return form(
      "a picture",
      "one",
      first(({ kind, words }) => kind === "picture" && words.includes(data)),
    );
  },
  pictures: ({ random, conversation: { pictures } }) => {
    if (pictures.length === 0) return undefined;
    const most = random.between(0, pictures.length - 1);
    return form(
      "count of pictures",
      "several",
      atMost(most, ({ kind }) => kind === "picture"),
    );
  },
  pictureInResult: ({ conversation: { pictures } }) =>
    pictures.some(({ isOfResult }) => isOfResult)
      ? form(
          "picture in a result",
          "several",
          first(({ kind, isOfResult }) => kind === "picture" && isOfResult === true),
        )
      : undefined,
  thinking: ({ conversation: { thoughts } }) =>
    thoughts > 0
      ? form(
          "thinking",
          "several",
          first(({ kind }) => kind === "thinking"),
        )
      : undefined,
  long: ({ conversation }) => {
    const { long, pieces } = conversation;
    const piece = pieces.find(({ mark }) => long?.includes(mark));
    if (!piece) return undefined;
    return {
      kind: "long result",
      scope: "one",
      mayMiss: [wordsBeside(piece, conversation)],
      breach: first(({ kind, words }) => kind === "result" && words.length > 4000),
    };
  },
  parallel: () =>
    form(
      "two calls in one message",
      "several",
      first(({ kind, message }, at, parts) => {
        const before = parts[at - 1];
        return kind === "call" && before?.kind === "call" && before.message === message;
      }),
    ),
  textBesideCall: () =>
    form(
      "text before a call",
      "several",
      first(({ kind }, at, parts) => kind === "call" && parts[at - 1]?.kind === "text" && isModel(parts[at - 1]!)),
    ),
  userAfterResult: () =>
    form(
      "question right behind a result",
      "several",
      first(({ kind, role }, at, parts) => kind === "text" && role === "user" && parts[at - 1]?.kind === "result"),
    ),
  callFirst: () =>
    form(
      "call right behind a question",
      "several",
      first(({ kind }, at, parts) => kind === "call" && parts[at - 1]?.kind === "text" && !isModel(parts[at - 1]!)),
    ),
  messages: ({ random, conversation: { messages } }) => {
    const most = random.between(4, messages.length - 1);
    return form("count of messages", "several", ({ parts }) => parts.find(({ message }) => message >= most));
  },
  calls: ({ random, conversation: { calls } }) => {
    if (calls.length === 0) return undefined;
    return form(
      "count of calls",
      "several",
      atMost(random.between(0, calls.length - 1), ({ kind }) => kind === "call"),
    );
  },
  two: ({ random, conversation }) => {
    const { pieces } = conversation;
    const [one, other] = [random.pick(pieces), random.pick(pieces)];
    const beside = wordsBeside(one, conversation);
    if (beside.includes(other.mark)) return undefined;
    return {
      kind: "two words together",
      scope: "two",
      mayMiss: [beside, wordsBeside(other, conversation)],
      breach: ({ parts, raw }) => (raw.includes(one.mark) ? holding(other.mark, parts, raw) : undefined),
    };
  },
  everything: () => form("everything", "whole", () => "whole"),
  system: () =>
    form(
      "system prompt",
      "whole",
      first(({ kind }) => kind === "system"),
    ),
  developer: ({ api }) =>
    api.startsWith("openai")
      ? form(
          "role developer",
          "whole",
          first(({ role }) => role === "developer"),
        )
      : undefined,
  flaky: ({ random }) => {
    const share = random.pick([0.3, 0.5, 0.8]);
    return form("now and then", "chance", () => (random.real() < share ? "whole" : undefined));
  },
  forgedTwo: () => form("forged, two", "chance", ({ nth }) => (nth < 2 ? "whole" : undefined)),
  forgedTen: () => form("forged, ten", "chance", ({ nth }) => (nth < 10 ? "whole" : undefined)),
  forgedInTurn: () => form("forged, every other", "chance", ({ nth }) => (nth % 2 === 0 ? "whole" : undefined)),
};

function isModel({ role }: Part): boolean {
  return role === "assistant" || role === "model";
}

/** A rule that the conversation can break; which, and on what, by the random choices. */
export function randomRule(facts: Facts): HiddenRule {
  for (;;) {
    const made = MAKERS[facts.random.pick(Object.keys(MAKERS))]!(facts);
    if (made) return made;
  }
}
