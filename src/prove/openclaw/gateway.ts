/** The gateway of a proof, driven through its HTTP endpoint, which every release has. */
import { randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isObject } from "../../transcript/json/json.ts";
import { configFor, environmentIn, placesIn } from "./environment.ts";
import { lastWords, type Kept } from "./kept.ts";
import { refreshesCatalog, type OpenClawPackage } from "./package.ts";

/** How a gateway is started. */
export interface GatewaySettings {
  readonly node: string;
  /** Options of Node before OpenClaw's file. */
  readonly execArgv: readonly string[];
  readonly openclaw: OpenClawPackage;
  readonly env: NodeJS.ProcessEnv;
  /** Variables that are added to the cleaned environment. */
  readonly more: Readonly<Record<string, string>>;
  readonly providerUrl: string;
  readonly startTimeoutMs: number;
  readonly turnTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** A gateway that answers. */
export interface Gateway {
  /** Sends a message to a conversation. Returns the text that came back, of an answer or of an error. */
  send(key: string, text: string): Promise<string>;
}

const POLL_MS = 100;
const REQUEST_TIMEOUT_MS = 5_000;
const PORT_TRIES = 3;
/** Not ready yet. */
const BUSY = new Set([429, 502, 503]);

/** What the releases print when somebody else listens on the port. */
const PORT_TAKEN = /EADDRINUSE|already listening|is already in use/i;

/** Starts the gateway of a home whose sessions are stored. Rejects when it ends or does not answer in time. */
export async function startGateway(kept: Kept, settings: GatewaySettings): Promise<Gateway> {
  for (let tries = 1; ; tries++) {
    try {
      return await startOnce(kept, settings);
    } catch (error) {
      // Somebody else took the port between the check and the start.
      if (tries === PORT_TRIES || !PORT_TAKEN.test(kept.output)) throw error;
    }
  }
}

async function startOnce(kept: Kept, settings: GatewaySettings): Promise<Gateway> {
  const { node, execArgv, openclaw, env, more, providerUrl, startTimeoutMs, turnTimeoutMs, signal } = settings;
  const home = await kept.home;
  const [port, token] = [await freePort(), randomUUID()];
  const config = configFor({ home, port, token, providerUrl, refreshesCatalog: refreshesCatalog(openclaw) });
  writeFileSync(placesIn(home).config, JSON.stringify(config), { mode: 0o600 });
  const args = [...execArgv, openclaw.entry, "gateway", "--port", String(port)];
  kept.start({ command: node, args, env: { ...environmentIn(home, env), ...more }, cwd: home });
  const url = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${token}` };
  const end = performance.now() + startTimeoutMs;
  const assertRunning = (): void => {
    signal.throwIfAborted();
    if (kept.ended !== undefined) throw new Error(`OpenClaw ended (${kept.ended})${lastWords(kept.output)}`);
  };
  for (;;) {
    assertRunning();
    if (await answers(`${url}/v1/models`, headers)) break;
    if (performance.now() > end)
      throw new Error(`OpenClaw took no connection in ${startTimeoutMs / 1000} s${lastWords(kept.output)}`);
    await sleep(POLL_MS);
  }
  return {
    async send(key, text) {
      const turnEnd = performance.now() + turnTimeoutMs;
      for (;;) {
        assertRunning();
        const { status, words } = await post(`${url}/v1/chat/completions`, headers, key, text, signal, turnEnd);
        if (!BUSY.has(status) || performance.now() > turnEnd) return words;
        await sleep(POLL_MS);
      }
    },
  };
}

/** Whether somebody speaks HTTP there; what early releases answer is 404. */
async function answers(url: string, headers: Record<string, string>): Promise<boolean> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    await response.arrayBuffer();
    return !BUSY.has(response.status);
  } catch {
    return false;
  }
}

async function post(
  url: string,
  headers: Record<string, string>,
  key: string,
  text: string,
  signal: AbortSignal,
  end: number,
): Promise<{ readonly status: number; readonly words: string }> {
  const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(end - performance.now())));
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", "x-openclaw-session-key": key },
      body: JSON.stringify({ model: "openclaw", messages: [{ role: "user", content: text }] }),
      signal: AbortSignal.any([signal, timeout]),
    });
    const body = await response.text();
    return { status: response.status, words: contentOf(body) ?? body };
  } catch (error) {
    signal.throwIfAborted();
    return { status: 0, words: timeout.aborted ? "no answer in time" : reasonOf(error) };
  }
}

function contentOf(body: string): string | undefined {
  try {
    const { choices, error } = JSON.parse(body) as { choices?: unknown; error?: unknown };
    const message: unknown = Array.isArray(choices) && isObject(choices[0]) ? choices[0].message : undefined;
    if (isObject(message) && typeof message.content === "string") return message.content;
    return isObject(error) && typeof error.message === "string" ? error.message : undefined;
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}

// Below those that the system gives out by itself, and apart, because a gateway takes some behind its own too.
const FIRST_PORT = 20_000;
const PORT_STEP = 20;
const PORTS = 600;

async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS; tries++) {
    const port = FIRST_PORT + PORT_STEP * randomInt(PORTS);
    if (await isFree(port)) return port;
  }
  throw new Error(`expected a free port from ${FIRST_PORT} on; found none in ${PORTS} tries`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
