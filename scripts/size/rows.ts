import { randomFillSync } from "node:crypto";
import type { ModelApi, StoredMessage } from "../../harness/openclaw/index.ts";
import { makeMakers } from "../../harness/openclaw/samples.ts";
import { encodePng } from "../../harness/png.ts";
import type { Limits } from "./limited-provider.ts";
import { TEXT_LIMITED } from "./refusals.ts";

/** One session that is too large, and what its provider takes. */
export interface Row {
  readonly name: string;
  /** What it is, in words. */
  readonly what: string;
  /** What is not said is as the settings of OpenClaw say, and a summariser that works. */
  readonly limits?: Partial<Limits>;
  /** The window of OpenClaw's settings, 200,000 by default. */
  readonly contextWindow?: number;
  /** The APIs that have such a limit; all where it is not said. */
  readonly apis?: readonly ModelApi[];
  /** Writes what is stored. */
  readonly write: (session: Session) => void;
  /** How many characters the first message that is sent has. */
  readonly asks?: number;
}

const WORDS = "the heron reads an old book about rivers while rain falls on the harbour and nobody minds ";

/** A stored session in the making. Each of its texts begins and ends with a mark that no other has. */
export class Session {
  readonly messages: StoredMessage[] = [];
  readonly marks: string[] = [];
  readonly #reader: ReturnType<typeof makeMakers>;
  readonly #perToken: number;
  #characters = 20_000;
  #calls = 0;

  constructor(api: ModelApi, perToken: number) {
    this.#reader = makeMakers(api);
    this.#perToken = perToken;
  }

  /** A text of so many characters. */
  text(length: number): string {
    const name = `mark-${this.marks.length / 2}`;
    const [begin, end] = [`${name}-begins`, `${name}-ends`];
    this.marks.push(begin, end);
    const room = Math.max(length - begin.length - end.length - 2, 0);
    return `${begin} ${WORDS.repeat(Math.ceil(room / WORDS.length)).slice(0, room)} ${end}`;
  }

  asks(length: number): void {
    this.#add({ role: "user", content: [{ type: "text", text: this.text(length) }] });
  }

  answers(length: number): void {
    this.#answer([{ type: "text", text: this.text(length) }], "stop");
  }

  /** So many questions and answers, of so many characters together each. */
  talks(turns: number, length: number): void {
    for (let turn = 0; turn < turns; turn++) {
      this.asks(length / 2);
      this.answers(length / 2);
    }
  }

  /** A call of `read`, and its result. */
  reads(length: number, picture?: string): void {
    const nth = ++this.#calls;
    this.#answer([this.#reader.call(nth)], "toolUse");
    const result = this.#reader.result(nth, this.text(length));
    if (picture !== undefined)
      (result["content"] as object[]).push({ type: "image", data: picture, mimeType: "image/png" });
    this.#add(result);
  }

  #answer(content: object[], stopReason: string): void {
    const input = Math.ceil(this.#characters / this.#perToken);
    const message = this.#reader.assistant(content, stopReason);
    this.#add({ ...message, usage: { ...(message["usage"] as object), input, output: 10, totalTokens: input + 10 } });
  }

  #add(message: StoredMessage): void {
    const { content } = message;
    const texts = (content as { text?: string }[]).map(({ text = "" }) => text.length);
    this.#characters += texts.reduce((sum, length) => sum + length, 100);
    this.messages.push(message);
  }
}

/** A picture of noise in base64, of some 1.4 MB. */
function noise(): string {
  const side = 600;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2], 8);
  const line = side * 3 + 1;
  const rows = randomFillSync(Buffer.alloc(side * line));
  for (let at = 0; at < rows.length; at += line) rows[at] = 0;
  return encodePng(head, rows);
}

const talk = (turns: number) => (session: Session) => session.talks(turns, 9000);

export const ROWS: readonly Row[] = [
  {
    name: "window",
    what: "112k tokens; the provider takes 40k while settings say 200k",
    limits: { tokens: 40_000 },
    write: talk(50),
  },
  { name: "refuses", what: "225k; the summariser refuses", limits: { summariser: "refuses" }, write: talk(100) },
  {
    name: "summary",
    what: "225k; the summariser takes 100k",
    limits: { summaryTokens: 100_000 },
    write: talk(100),
  },
  {
    name: "dense",
    what: "135k by OpenClaw's count, 270k by the provider's",
    limits: { perToken: 2 },
    write: talk(60),
  },
  {
    name: "moved",
    what: "135k, moved to a model that takes 32k",
    limits: { tokens: 32_000 },
    contextWindow: 32_000,
    write: talk(60),
  },
  { name: "paste", what: "a message of 300k", write: (session) => session.talks(4, 2000), asks: 1_200_000 },
  {
    name: "result",
    what: "a result of 300k",
    write: (session) => {
      session.talks(4, 2000);
      session.asks(100);
      session.reads(1_200_000);
    },
  },
  {
    name: "results",
    what: "400 results of 750 each",
    write: (session) => {
      session.asks(100);
      for (let nth = 0; nth < 400; nth++) session.reads(3000);
    },
  },
  {
    name: "pictures",
    what: "34 MB of pictures in one turn; 32 MB are taken",
    limits: { bytes: 32 * 2 ** 20 },
    write: (session) => {
      session.asks(100);
      for (let nth = 0; nth < 24; nth++) session.reads(100, noise());
      session.answers(100);
    },
  },
  {
    name: "text",
    what: "a message and a result of 300,000 characters; one text may have 200,000",
    limits: { text: 200_000 },
    apis: TEXT_LIMITED,
    write: (session) => {
      session.talks(20, 1000);
      session.asks(300_000);
      session.reads(300_000);
      session.answers(100);
    },
  },
  { name: "empty", what: "225k; the summary is empty", limits: { summariser: "empty" }, write: talk(100) },
  {
    name: "malformed",
    what: "225k; the summary is one sentence without a heading",
    limits: { summariser: "shapeless" },
    write: talk(100),
  },
  {
    name: "page",
    what: "225k; in place of the summary comes a web page",
    limits: { summariser: "page" },
    write: talk(100),
  },
  {
    name: "cut",
    what: "225k; the summary is cut off at the limit of its answer",
    limits: { summariser: "cut" },
    write: talk(100),
  },
  { name: "filtered", what: "225k; the summary is filtered", limits: { summariser: "fails" }, write: talk(100) },
];
