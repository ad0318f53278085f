import { encodePng } from "../../png.ts";
import { createHash } from "node:crypto";
import { USAGE } from "../../openclaw/samples.ts";
import type { Random } from "../../random.ts";
import { signThinking } from "../../../src/providers/index.ts";
import type { Api, JsonObject } from "../../../src/providers/index.ts";

/** A marked word of a conversation, and where it stands. */
export interface Piece {
  mark: string;
  kind: "question" | "answer" | "argument" | "result";
  /** Index of its message among those of the conversation. */
  message: number;
  /** The call that it belongs to. */
  callId?: string;
}

/** A stored conversation in OpenClaw's form, with a marked word in each of its parts. */
export interface Conversation {
  messages: JsonObject[];
  pieces: Piece[];
  /** Base64 of each picture. */
  pictures: { data: string; isOfResult: boolean }[];
  /** Each call, in order. */
  calls: { id: string; tool: string }[];
  thoughts: number;
  /** Words of the one long result; undefined where there is none. */
  long?: string;
}

/** Who has written its answers. */
export interface Writer {
  api: Api;
  provider: string;
  model: string;
  thinks: boolean;
}

/** Characters of a long result. */
export const LONG = 6000;

const TOOLS = ["read", "read", "read", "write", "exec", "web_search"];

/** The mark number `nth` of a conversation: a word that no other text has in it. */
export function makeMark(seed: string, nth: number): string {
  return `kite${createHash("sha256").update(seed).digest("hex").slice(0, 6)}x${nth}z`;
}

/** A conversation of 20 to 120 messages that no rule of its API is broken by; the same for the same random choices. */
export function randomConversation(random: Random, seed: string, writer: Writer): Conversation {
  const made: Conversation = { messages: [], pieces: [], pictures: [], calls: [], thoughts: 0 };
  const builder = new Builder(made, random, seed, writer);
  const length = random.between(20, 120);
  const longAt = random.chance(0.3) ? random.between(0, length) : Infinity;
  while (made.messages.length < length) builder.turn(made.long === undefined && made.messages.length >= longAt);
  return made;
}

class Builder {
  readonly #made: Conversation;
  readonly #random: Random;
  readonly #seed: string;
  readonly #writer: Writer;

  constructor(made: Conversation, random: Random, seed: string, writer: Writer) {
    this.#made = made;
    this.#random = random;
    this.#seed = seed;
    this.#writer = writer;
  }

  /** A question and all that comes before the next one; `isLong`: with the long result. */
  turn(isLong: boolean): void {
    const random = this.#random;
    this.#question();
    for (let batches = random.pick([0, 0, 1, 1, 2, 3]) + (isLong ? 1 : 0); batches > 0; batches--)
      this.#batch(isLong && batches === 1);
    // Now and then a turn ends with its results: a person has stopped it.
    if (this.#made.messages.at(-1)!["role"] !== "toolResult" || random.chance(0.9)) this.#answer();
  }

  #question(): void {
    const content: JsonObject[] = [{ type: "text", text: `Please look at ${this.#mark("question")} for me.` }];
    if (this.#random.chance(0.08)) content.push(this.#picture(false));
    this.#add({ role: "user", content });
  }

  #answer(): void {
    this.#add(this.#said([...this.#thought(), { type: "text", text: `I have found ${this.#mark("answer")} there.` }]));
  }

  #batch(isLong: boolean): void {
    const random = this.#random;
    const content = [
      ...this.#thought(),
      ...(random.chance(0.4) ? [{ type: "text", text: `I try ${this.#mark("answer")}.` }] : []),
    ];
    const calls = Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => this.#call());
    this.#add(this.#said([...content, ...calls.map(({ block }) => block)], "toolUse"));
    for (const [nth, { id, tool }] of calls.entries()) this.#result(id, tool, isLong && nth === 0);
  }

  #call(): { id: string; tool: string; block: JsonObject } {
    const { calls } = this.#made;
    const nth = String(calls.length).padStart(4, "0");
    const id = this.#writer.api.startsWith("openai") ? `call_AAAAAAAAAAAA${nth}` : `toolu_01AAAAAAAAAAAAAAAA${nth}`;
    const tool = this.#random.pick(TOOLS);
    calls.push({ id, tool });
    const path = `${this.#mark("argument", id)}.txt`;
    return { id, tool, block: { type: "toolCall", id, name: tool, arguments: { path } } };
  }

  #result(id: string, tool: string, isLong: boolean): void {
    const text = `The file says ${this.#mark("result", id)}.`;
    if (isLong) this.#made.long = text;
    const content: JsonObject[] = [{ type: "text", text: isLong ? text.padEnd(LONG, " and so on") : text }];
    if (this.#random.chance(0.06)) content.push(this.#picture(true));
    this.#add({ role: "toolResult", toolCallId: id, toolName: tool, content, isError: false });
  }

  #thought(): JsonObject[] {
    if (!this.#writer.thinks || this.#random.chance(0.7)) return [];
    const thinking = `thought ${this.#made.thoughts++}`;
    return [{ type: "thinking", thinking, thinkingSignature: signThinking(thinking) }];
  }

  #said(content: JsonObject[], stopReason = "stop"): JsonObject {
    const { api, provider, model } = this.#writer;
    return { role: "assistant", content, api, provider, model, usage: USAGE, stopReason };
  }

  #picture(isOfResult: boolean): JsonObject {
    const data = makePicture(`${this.#seed}/${this.#made.pictures.length}`);
    this.#made.pictures.push({ data, isOfResult });
    return { type: "image", data, mimeType: "image/png" };
  }

  #mark(kind: Piece["kind"], callId?: string): string {
    const { pieces, messages } = this.#made;
    const mark = makeMark(this.#seed, pieces.length);
    // The results of a batch stand behind the message that is being made.
    pieces.push({ mark, kind, message: messages.length, ...(callId !== undefined && { callId }) });
    return mark;
  }

  #add(message: JsonObject): void {
    this.#made.messages.push(message);
  }
}

/** A valid PNG of 16 by 16 points, other bytes for another seed. */
function makePicture(seed: string): string {
  const [size, points] = [16, createHash("sha256").update(seed).digest()];
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header[8] = 8;
  const rows = Buffer.alloc((size + 1) * size);
  for (let at = 0; at < points.length; at++) rows[(size + 1) * (at % size) + 1 + Math.floor(at / size)] = points[at]!;
  return encodePng(header, rows);
}
