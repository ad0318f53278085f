import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";

/** What a front answers in place of the provider behind it, in Anthropic's form. */
export interface FrontRefusal {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

/** A stream that a front answers with in place of the provider behind it. */
export interface FrontStream {
  readonly stream: string;
  /** Nothing follows it, and it does not end. */
  readonly hangs?: boolean;
}

/** A server before a strict provider. */
export interface Front {
  readonly url: string;
  close(): Promise<void>;
}

/** Listens before the provider at `target`: gives what `answer` has for a body, and passes everything else on. */
export async function startFront(
  target: string,
  answer: (body: string) => FrontRefusal | FrontStream | undefined,
): Promise<Front> {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks);
      const own = answer(body.toString());
      if (own && "stream" in own) {
        outgoing.writeHead(200, { "content-type": "text/event-stream" });
        outgoing.flushHeaders();
        outgoing.write(own.stream);
        if (own.hangs !== true) outgoing.end();
        return;
      }
      if (own) {
        const { status, type, message } = own;
        outgoing.writeHead(status, { "content-type": "application/json" });
        outgoing.end(JSON.stringify({ type: "error", error: { type, message } }));
        return;
      }
      const { method, headers, url = "/" } = incoming;
      const passed = forward(target + url, { method, headers }, (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(outgoing);
      });
      passed.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
