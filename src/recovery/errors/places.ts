/** Finds the place in a request body that a provider's error names. */
import type { ErrorFacts } from "./read-error.ts";

/** The place in the body that an error names. */
export interface Place {
  message: number;
  block?: number;
  /** The path behind the message's index: `.content.1.tool_use.id`. */
  path: string;
}

/** How a provider writes a place in the history, and how that is read. */
type Spelling = readonly [provider: string, words: RegExp, read: (match: RegExpExecArray) => Place];

// A tool's schema may contain a list named `input` too, so that only known prefixes are allowed before the name.
const BEFORE_LIST = String.raw`(?:^|[^\w.\]]|request\.|body\.|\*\.)`;
const INDEX = String.raw`(?:\.?\[(\d{1,7})\]|\.(\d{1,7})(?!\d))`;

/** Paths in the body: `messages.3.content.1`, `input[3].id`, `contents[3].parts[0]`, `#/messages/3/content/1`. */
const PATHS: readonly Spelling[] = [
  [
    "several",
    new RegExp(String.raw`${BEFORE_LIST}(?:messages?|input|contents)${INDEX}([\w.[\]]{0,200})`, "i"),
    ([, bracketed, dotted, rest = ""]) => placeAt(Number(bracketed ?? dotted), rest),
  ],
  [
    "vLLM",
    /\(["']body["'], ["'](?:messages|input)["'], (\d{1,7})([^()]{0,200})\)/,
    ([, index, rest = ""]) => placeAt(Number(index), rest.replaceAll(/,? ["']?(\w+)["']?/g, ".$1")),
  ],
  [
    "Bedrock",
    /#\/messages\/(\d{1,7})((?:\/\w{1,40}){0,8})/,
    ([, index, rest = ""]) => placeAt(Number(index), rest.replaceAll("/", ".")),
  ],
];

/** Places that are told in words, and read where no text has a path. */
const WORDS: readonly Spelling[] = [
  // Gemini's positions count from one.
  [
    "Gemini",
    /\bfunction call [^,]{1,200}, position (\d{1,7})/i,
    ([, position]) => ({ message: Math.max(Number(position) - 1, 0), path: "" }),
  ],
  [
    "Moonshot",
    /\bmessages? (?:at )?(?:position|index) (\d{1,7})/i,
    ([, index]) => ({ message: Number(index), path: "" }),
  ],
];

/** OpenClaw's own check reports an index in its history, not in a body. */
const OWN_CHECK = "invalid_replay_transcript";

/** The blocks of a message, in the spellings of all APIs. */
const ROLE = String.raw`(?:\.(?:assistant|user|tool|system|member))?`;
const BLOCK = new RegExp(
  String.raw`^${ROLE}\.(?:content|parts|tool_calls|summary|output)(?:\.[a-z]\w*)?(?:\.?\[(\d{1,7})\]|\.(\d{1,7}))`,
  "i",
);

/** Returns the first place in the history that the error names; undefined when it names none. */
export function findPlace({ sentences, paths }: ErrorFacts): Place | undefined {
  const texts = [...paths, ...sentences];
  return (
    firstIn(texts, PATHS) ??
    firstIn(
      texts.filter((text) => !text.includes(OWN_CHECK)),
      WORDS,
    )
  );
}

function firstIn(texts: readonly string[], spellings: readonly Spelling[]): Place | undefined {
  for (const text of texts)
    for (const [, words, read] of spellings) {
      const match = words.exec(text);
      if (match) return read(match);
    }
  return undefined;
}

function placeAt(index: number, rest: string): Place {
  // AWS counts list members from one: `messages.3.member.content.1.member.toolUse`.
  const first = rest.startsWith(".member") ? 1 : 0;
  const [, bracketed, dotted] = BLOCK.exec(rest) ?? [];
  const block = bracketed ?? dotted;
  const message = Math.max(index - first, 0);
  return block === undefined
    ? { message, path: rest }
    : { message, block: Math.max(Number(block) - first, 0), path: rest };
}
