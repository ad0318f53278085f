import type { ErrorFacts } from "../read-error.ts";

/** The place in the body that an error names. */
export interface Place {
  message: number;
  block?: number;
  /** The path behind the message's index: `.content.1.tool_use.id`. */
  path: string;
}

// A tool's schema may contain a list named `input` too, so that only known prefixes are allowed before the name.
const IN_LIST =
  /(?:^|[^\w.\]]|request\.|body\.|\*\.)(?:messages?|input|contents)(?:\.?\[(\d{1,7})\]|\.(\d{1,7})(?!\d))([\w.[\]]{0,200})/i;
const IN_PYTHON = /\(["']body["'], ["'](?:messages|input)["'], (\d{1,7})([^()]{0,200})\)/;
const BLOCK =
  /^(?:\.(?:assistant|user|tool|system|member))?\.(?:content|parts|tool_calls|summary|output)(?:\.[a-z]\w*)?(?:\.?\[(\d{1,7})\]|\.(\d{1,7}))/i;
const IN_WORDS = /\bmessages? (?:at )?(?:position|index) (\d{1,7})/i;
/** Gemini's positions count from one. */
const GEMINI_POSITION = /\bfunction call [^,]{1,200}, position (\d{1,7})/i;

/** Returns the first place in the history that the error names; undefined when it names none. */
export function placeOf({ sentences, paths }: ErrorFacts): Place | undefined {
  const texts = [...paths, ...sentences];
  for (const text of texts) {
    const [, bracketed, dotted, rest = ""] = IN_LIST.exec(text) ?? [];
    const index = bracketed ?? dotted;
    if (index !== undefined) return place(Number(index), rest);
    const python = IN_PYTHON.exec(text);
    if (python) return place(Number(python[1]), (python[2] ?? "").replaceAll(/,? ["']?(\w+)["']?/g, ".$1"));
  }
  for (const text of texts) {
    const gemini = GEMINI_POSITION.exec(text)?.[1];
    if (gemini !== undefined) return { message: Math.max(Number(gemini) - 1, 0), path: "" };
    // OpenClaw's own check reports an index in its history, not in a body.
    const worded = text.includes("invalid_replay_transcript") ? undefined : IN_WORDS.exec(text)?.[1];
    if (worded !== undefined) return { message: Number(worded), path: "" };
  }
  return undefined;
}

function place(index: number, rest: string): Place {
  // AWS counts list members from one: `messages.3.member.content.1.member.toolUse`.
  const first = rest.startsWith(".member") ? 1 : 0;
  const [, bracketed, dotted] = BLOCK.exec(rest) ?? [];
  const block = bracketed ?? dotted;
  const message = Math.max(index - first, 0);
  return block === undefined
    ? { message, path: rest }
    : { message, block: Math.max(Number(block) - first, 0), path: rest };
}
