/** The gateway of a proof, driven through its HTTP endpoint, which every release has. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { describeError } from "../../base/coded-error.ts";
import { isObject } from "../../transcript/json/json.ts";
import { configFor, environmentIn, placesIn } from "./environment.ts";
import { lastWords, namesLimit, type Kept } from "./kept.ts";
import { refreshesCatalog, type OpenClawPackage } from "./package.ts";
import { GATEWAY_PORT, socketAt } from "./sockets.ts";

/** How a gateway is started. */
export interface GatewaySettings {
  readonly node: string;
  readonly openclaw: OpenClawPackage;
  readonly env: NodeJS.ProcessEnv;
  /** Whether the guard works; otherwise it is told to do nothing. */
  readonly isGuarded: boolean;
  /** URL of the hook that patches OpenClaw in memory. */
  readonly hook?: string | undefined;
  /** The key that the provider wants. */
  readonly apiKey: string;
  readonly startTimeoutMs: number;
  readonly turnTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** A gateway that answers. */
export interface Gateway {
  /**
   * Sends a message to a conversation. Returns the text that came back, of an answer or of an error. Rejects when
   * nothing came in time, and when OpenClaw has ended.
   */
  send(key: string, text: string): Promise<string>;
}

/** OpenClaw ended by itself, and for no reason of the machine's that it named. */
export class EndedByItself extends Error {}

/** OpenClaw gave no answer in time, which on a loaded machine says nothing. */
export class NoAnswerInTime extends Error {
  constructor(options?: ErrorOptions) {
    super("OpenClaw gave no answer in time", options);
  }
}

const POLL_MS = 100;
const REQUEST_TIMEOUT_MS = 5_000;
/** The status codes of a gateway that is not ready yet. */
const BUSY = new Set([429, 502, 503]);
/** No answer of a proof comes near it. */
const MAX_BYTES = 8 << 20;

/** Starts the gateway of a home whose sessions are stored. Rejects when it ends or does not answer in time. */
export async function startGateway(kept: Kept, settings: GatewaySettings): Promise<Gateway> {
  const { node, openclaw, env, isGuarded, hook, apiKey, startTimeoutMs, turnTimeoutMs, signal } = settings;
  const place = await kept.home;
  const token = randomUUID();
  const config = configFor({
    home: place.home,
    secrets: { token, apiKey },
    refreshesCatalog: refreshesCatalog(openclaw),
  });
  writeFileSync(placesIn(place.home).config, JSON.stringify(config), { mode: 0o600 });
  const own = environmentIn(place, env, hook);
  const all = { ...own, ...(!isGuarded && { OPENCLAW_INTEGRITY: "off" }) };
  kept.start({ command: node, args: [openclaw.entry, "gateway"], env: all, cwd: place.home });
  const door = { socketPath: socketAt(place.sockets, GATEWAY_PORT), token };
  const isOver = kept.limit(startTimeoutMs);
  const assertRunning = (): void => {
    signal.throwIfAborted();
    const { ended, output } = kept;
    if (ended === undefined) return;
    const words = `OpenClaw ended (${ended})${lastWords(output)}`;
    throw /^\d+$/.test(ended) && !namesLimit(output) ? new EndedByItself(words) : new Error(words);
  };
  for (;;) {
    assertRunning();
    if (await answers(door)) break;
    if (isOver()) throw new Error(`OpenClaw took no connection in ${startTimeoutMs / 1000} s${lastWords(kept.output)}`);
    await sleep(POLL_MS);
  }
  return {
    async send(key, text) {
      const late = new AbortController();
      const isLate = kept.limit(turnTimeoutMs);
      const watch = setInterval(() => isLate() && late.abort(), POLL_MS);
      try {
        for (;;) {
          assertRunning();
          const { status, words } = await post(door, key, text, signal, late.signal);
          if (!BUSY.has(status)) return words;
          if (late.signal.aborted) throw new NoAnswerInTime();
          await sleep(POLL_MS);
        }
      } finally {
        clearInterval(watch);
      }
    },
  };
}

/** The gateway's socket, and what it wants to hear. */
interface Door {
  readonly socketPath: string;
  readonly token: string;
}

/** Whether somebody speaks HTTP there; what early releases answer is 404. */
async function answers(door: Door): Promise<boolean> {
  try {
    const { status } = await ask(door, "GET", "/v1/models", {}, undefined, AbortSignal.timeout(REQUEST_TIMEOUT_MS));
    return !BUSY.has(status);
  } catch {
    return false;
  }
}

async function post(
  door: Door,
  key: string,
  text: string,
  signal: AbortSignal,
  late: AbortSignal,
): Promise<{ readonly status: number; readonly words: string }> {
  const headers = { "content-type": "application/json", "x-openclaw-session-key": key };
  const message = JSON.stringify({ model: "openclaw", messages: [{ role: "user", content: text }] });
  try {
    const both = AbortSignal.any([signal, late]);
    const { status, body } = await ask(door, "POST", "/v1/chat/completions", headers, message, both);
    return { status, words: readAnswer(body) ?? body };
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) throw new NoAnswerInTime({ cause: error });
    return { status: 0, words: describeError(error) };
  }
}

async function ask(
  { socketPath, token }: Door,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  message: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly body: string }> {
  const all = { ...headers, host: `127.0.0.1:${GATEWAY_PORT}`, authorization: `Bearer ${token}` };
  const sent = request({ socketPath, method, path, headers: all, signal, agent: false }).end(message);
  // What goes wrong once the answer has begun is an error of the answer too.
  sent.on("error", () => undefined);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error("the answer is too long");
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") };
}

function readAnswer(body: string): string | undefined {
  try {
    const { choices, error } = JSON.parse(body) as { choices?: unknown; error?: unknown };
    const message: unknown = Array.isArray(choices) && isObject(choices[0]) ? choices[0].message : undefined;
    if (isObject(message) && typeof message.content === "string") return message.content;
    return isObject(error) && typeof error.message === "string" ? error.message : undefined;
  } catch {
    return undefined;
  }
}
