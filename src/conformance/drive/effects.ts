import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isObject, parsedJson, toJson } from "../../transcript/json/json.ts";
import type { KillAt, Tool } from "../cases/case.ts";
import type { Effect } from "../judge/judge.ts";

const MAX_BYTES = 1_000_000;
/** For an agent to store what has returned; what is expected of it does not depend on the time. */
const STORING_MS = 30;

interface Playing {
  readonly tools: readonly Tool[];
  /** How many calls the model makes. */
  readonly calls: number;
  readonly kill: KillAt | undefined;
  /** Called at the moment of the kill. */
  readonly reached: () => void;
}

/**
 * The world in which tools act: what a tool does is a POST to this server, which records it, or holds it for as long as
 * the moment of a kill asks for. So moments of kills need no times.
 */
export class Effects {
  readonly list: Effect[] = [];
  private readonly server: Server;
  private playing: Playing | undefined;
  /** Calls that have come in this turn. */
  seen = 0;
  /** Calls that have returned in this turn. */
  returned = 0;

  private constructor() {
    this.server = createServer((request, response) => {
      void this.serve(request, response).catch(() => response.destroy());
    });
  }

  static async start(): Promise<Effects> {
    const effects = new Effects();
    await new Promise<void>((resolve, reject) => {
      effects.server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
    return effects;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** Begins a case: nothing has acted. */
  clear(): void {
    this.list.length = 0;
  }

  /** Begins a turn; undefined: nothing acts any more. */
  play(playing: Playing | undefined): void {
    this.playing = playing;
    this.seen = 0;
    this.returned = 0;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request);
    const body = text === undefined ? undefined : parsedJson(text);
    const tool = isObject(body) ? this.playing?.tools.find(({ name }) => name === body["name"]) : undefined;
    if (tool === undefined || !isObject(body) || !isObject(body["arguments"])) {
      const names = this.playing?.tools.map(({ name }) => name).join(", ");
      response.writeHead(400).end(`expected {"name": one of ${names}, "arguments": an object}; found another body`);
      return;
    }
    this.act(tool.name, body["arguments"], response);
  }

  private act(name: string, input: Record<string, unknown>, response: ServerResponse): void {
    const { kill, calls, reached } = this.playing!;
    const nth = ++this.seen;
    if (kill === "called" || (kill !== undefined && nth > calls)) return reached();
    if (nth > 1 && kill === "acted") return;
    if (nth > 1 && kill === "one_returned") return void setTimeout(reached, STORING_MS);
    const effect: Effect = { name, arguments: input, receipt: this.makeReceipt(name, input) };
    this.list.push(effect);
    if (kill === "acted" || (kill === "last_acted" && nth === calls)) return reached();
    response.once("finish", () => this.returned++);
    response.writeHead(200, { "content-type": "text/plain" }).end(`${name} has acted, receipt ${effect.receipt}`);
  }

  private makeReceipt(name: string, input: unknown): string {
    const hash = createHash("sha256").update(`${this.list.length} ${name} ${toJson(input)}`);
    return `R-${hash.digest("hex").slice(0, 10).toUpperCase()}`;
  }
}

async function readText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
