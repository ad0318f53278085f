import { nameInline, QUOTE_MARK, quoted, unquoted } from "../../base/quoted.ts";

/**
 * The speaker of a part of a conversation. `call`, `result` and `error` are tool traffic; `note` and `summary` are
 * texts that neither the user nor the assistant has written.
 */
export type Speaker = "user" | "assistant" | "call" | "result" | "error" | "note" | "summary";

/** A text of one speaker. */
export interface Speech {
  speaker: Speaker;
  /** The tool, for tool traffic. */
  tool?: string;
  words: string;
}

const HEADINGS: Record<Speaker, (tool: string) => string> = {
  user: () => "[The user said:]",
  assistant: () => "[The assistant said:]",
  call: (tool) => `[The assistant called the tool ${tool} with:]`,
  result: (tool) => `[The tool ${tool} returned:]`,
  error: (tool) => `[The tool ${tool} failed:]`,
  note: () => "[A note in the conversation, which the user has not written:]",
  summary: () => "[A summary of what was said before:]",
};

const PATTERNS = Object.entries(HEADINGS).map(([speaker, heading]) => {
  const [before, after] = heading("\u0000")
    .split("\u0000")
    .map((part) => part.replaceAll(/[[\]]/g, String.raw`\$&`));
  return [speaker as Speaker, new RegExp(`^${before}${after === undefined ? "" : `(.{0,400})${after}`}$`)] as const;
});

const LINE_START = String.raw`(?:^|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029])[ \t]{0,100}`;
const LOOKS_LIKE_OURS = new RegExp(
  String.raw`^\s{0,100}>|${LINE_START}\[(?:The (?:user|assistant|tool)|A (?:note|summary))\b`,
);

/**
 * Formats a speech: a heading line that names the speaker, and the text below as a quotation. No text can end the
 * quotation or begin another speaker's.
 */
export function speechText({ speaker, tool = "", words }: Speech): string {
  return `${HEADINGS[speaker](nameInline(tool))}\n${quoted(words)}`;
}

/**
 * Reads the speeches from a text made by {@link speechText}, or from several such texts with empty lines between. Other
 * lines outside of quotations are skipped.
 */
export function speechesIn(text: string): Speech[] {
  const speeches: Speech[] = [];
  let said: string[] = [];
  const end = (): void => {
    const last = speeches.at(-1);
    if (last && said.length > 0) last.words = unquoted(said.join("\n"));
    said = [];
  };
  // A quoted line may contain characters that other readers take for a line end; a heading never does.
  for (const line of text.split("\n")) {
    if (line.startsWith(QUOTE_MARK)) {
      if (speeches.length > 0) said.push(line);
      continue;
    }
    end();
    const speech = headingIn(line);
    if (speech) speeches.push(speech);
  }
  end();
  return speeches;
}

/** True for a text that could be taken for the output of {@link speechText}. */
export function looksLikeSpeech(words: string): boolean {
  return LOOKS_LIKE_OURS.test(words);
}

function headingIn(line: string): Speech | undefined {
  for (const [speaker, pattern] of PATTERNS) {
    const found = pattern.exec(line);
    if (found) return { speaker, ...(found[1] !== undefined && { tool: plainName(found[1]) }), words: "" };
  }
  return undefined;
}

function plainName(name: string): string {
  try {
    return name.startsWith('"') ? String(JSON.parse(name)) : name;
  } catch {
    return name;
  }
}
