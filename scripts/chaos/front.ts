import { once } from "node:events";
import { createServer, request as ask, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { startProvider, type RecordedRequest, type Step, type StrictProvider } from "../../harness/providers/index.ts";
import type { Progress } from "./progress.ts";

/** One conversation as the provider sees it. */
export interface Line {
  /** Everything that was received of it, in order. */
  requests(): RecordedRequest[];
  /**
   * What is answered from now on, and the name under which it is marked: `<id> request k`, `<id> piece k.j`, `<id>
   * streamed k`.
   */
  play(id: string, ...steps: Step[]): void;
}

/**
 * The one address that OpenClaw knows. It gives every request to the strict provider of its conversation, byte by byte,
 * and marks what passes. Conversations can so run at once, each with a script of its own.
 */
export interface Front {
  url: string;
  /** Opens a line for the conversation whose user texts hold `tag`. */
  open(tag: string): Promise<Line>;
  /** Forgets a conversation. */
  drop(tag: string): Promise<void>;
  /** Requests of no open conversation. */
  strays(): number;
  close(): Promise<void>;
}

interface Route {
  provider: StrictProvider;
  id: string;
  count: number;
}

const TAG = /session-\d+[a-z]/;

/** Starts a front on loopback, with no conversation open; rejects when it cannot listen. */
export async function startFront(progress: Progress): Promise<Front> {
  const routes = new Map<string, Route>();
  let strays = 0;
  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const route = routes.get(TAG.exec(body.toString())?.[0] ?? "");
    if (route === undefined) {
      strays++;
      response.writeHead(404).end();
      return;
    }
    const name = route.id;
    const nth = ++route.count;
    progress.mark(`${name} request ${nth}`);
    const upstream = ask(`${route.provider.url}${request.url ?? "/"}`, {
      method: request.method,
      headers: { ...request.headers, host: "127.0.0.1" },
    });
    upstream.on("error", () => response.destroy());
    response.on("close", () => upstream.destroy());
    upstream.end(body);
    const [answer] = (await once(upstream, "response")) as [IncomingMessage];
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    let pieces = 0;
    for await (const chunk of answer) {
      // Event by event, so that a kill falls between two of them.
      for (const event of String(chunk).split(/(?<=\n\n)/)) {
        response.write(event);
        progress.mark(`${name} piece ${nth}.${++pieces}`);
      }
    }
    response.end();
    if (answer.statusCode === 200) progress.mark(`${name} streamed ${nth}`);
  }

  async function drop(tag: string): Promise<void> {
    await routes.get(tag)?.provider.close();
    routes.delete(tag);
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async open(tag) {
      const provider = await startProvider();
      const route: Route = { provider, id: tag, count: 0 };
      routes.set(tag, route);
      const past: RecordedRequest[] = [];
      return {
        requests: () => [...past, ...provider.requests],
        play(id, ...steps) {
          Object.assign(route, { id, count: 0 });
          past.push(...provider.requests);
          // What was left of a script when OpenClaw was killed is not played to the next one.
          provider.reset();
          provider.script(...steps);
        },
      };
    },
    drop,
    strays: () => strays,
    async close() {
      for (const tag of routes.keys()) await drop(tag);
      await shut(server);
    },
  };
}

async function shut(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}
