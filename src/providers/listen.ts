import { createServer as createHttp1 } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createHttp2 } from "node:http2";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

export type Request = IncomingMessage | Http2ServerRequest;
export type Response = ServerResponse | Http2ServerResponse;

export interface Listener {
  port: number;
  /** Breaks the connection that a request came over, as a failing network does. */
  drop(request: Request): void;
  close(): Promise<void>;
}

/**
 * Listens on loopback for HTTP/1.1 and, on the same port, for HTTP/2 without TLS, which the AWS SDK speaks to Bedrock
 * when its endpoint is http://. The first byte tells them apart: HTTP/2 opens with "PRI", and no HTTP/1 method we serve
 * shares that start.
 */
export async function listen(port: number, handle: (request: Request, response: Response) => void): Promise<Listener> {
  const http1 = createHttp1(handle);
  const http2 = createHttp2(handle);
  const sockets = new Map<number | undefined, Socket>();
  const front = createServer((socket) => {
    const client = socket.remotePort;
    sockets.set(client, socket);
    socket.once("close", () => sockets.delete(client));
    socket.on("error", () => socket.destroy());
    socket.once("readable", () => {
      const first = socket.read() as Buffer | null;
      if (first === null) return;
      socket.unshift(first);
      (first.subarray(0, 3).toString("latin1") === "PRI" ? http2 : http1).emit("connection", socket);
    });
  });
  await new Promise<void>((resolve, reject) => {
    front.once("error", reject);
    front.listen(port, "127.0.0.1", resolve);
  });
  return {
    port: (front.address() as AddressInfo).port,
    // HTTP/2 hides its socket and would part politely: the client's port leads to the real one.
    drop: (request) => sockets.get(request.socket.remotePort)?.destroy(),
    close: () =>
      new Promise((resolve) => {
        front.close(() => resolve());
        for (const socket of sockets.values()) socket.destroy();
        http1.close();
        http2.close();
      }),
  };
}
