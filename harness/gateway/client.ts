import { randomUUID } from "node:crypto";
import { Device, type Challenge } from "./device.ts";
import { patience } from "../patience.ts";

/** An event that the gateway sends to its clients. */
export interface GatewayEvent {
  event: string;
  payload: Record<string, unknown>;
}

interface Frame {
  type: "event" | "res";
  event?: string;
  id?: string;
  ok?: boolean;
  payload?: Record<string, unknown>;
  error?: { code?: string; message?: string };
}

/** The gateway's own refusal of a request, in its words. */
export class GatewayRefusal extends Error {
  override readonly name = "GatewayRefusal";
}

interface Waiting {
  resolve(payload: Record<string, unknown>): void;
  reject(error: Error): void;
}

const CONNECT_TIMEOUT_MS = patience(15_000);

/** A client of the gateway's WebSocket protocol: requests and their answers, and the events in between. */
export class GatewayClient {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<string, Waiting>();
  readonly #listeners = new Set<(event: GatewayEvent) => void>();
  #end: string | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#take(JSON.parse(String(data)) as Frame));
    socket.addEventListener("error", () => this.#die("the connection failed"));
    socket.addEventListener("close", ({ code, reason }) =>
      this.#die(`the gateway closed the connection (${code}${reason ? ` ${reason}` : ""})`),
    );
  }

  /**
   * Connects as an operator. Rejects when nobody listens, when the gateway is not ready yet, and when it refuses the
   * client.
   */
  static async connect(url: string, token: string, device: Device): Promise<GatewayClient> {
    const client = new GatewayClient(new WebSocket(url));
    try {
      const challenge = await client.#challenge();
      await client.request("connect", device.connectParams(challenge, token));
      return client;
    } catch (error) {
      client.close();
      throw error;
    }
  }

  /**
   * Calls a method; rejects with a GatewayRefusal when the gateway refuses, and with an Error when the connection ends
   * before.
   */
  async request(method: string, params: object): Promise<Record<string, unknown>> {
    this.assertOpen();
    const id = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
    this.#waiting.set(id, { resolve, reject });
    this.#socket.send(JSON.stringify({ type: "req", id, method, params }));
    return await promise;
  }

  /** Throws with the reason when the connection has ended. */
  assertOpen(): void {
    if (this.#end !== undefined) throw new Error(`expected an open connection; ${this.#end}`);
  }

  /** Calls `listener` with every event from now on, in order; the function it gives ends that. */
  listen(listener: (event: GatewayEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    this.#socket.close();
    this.#die("the client closed the connection");
  }

  async #challenge(): Promise<Challenge> {
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
    this.#waiting.set("challenge", { resolve, reject });
    const stop = this.listen(({ event, payload }) => event === "connect.challenge" && resolve(payload));
    const timer = setTimeout(
      () => reject(new Error(`expected a challenge within ${CONNECT_TIMEOUT_MS} ms; there was none`)),
      CONNECT_TIMEOUT_MS,
    );
    try {
      const { nonce, ts } = await promise;
      if (typeof nonce !== "string" || typeof ts !== "number")
        throw new Error("expected a challenge with nonce and ts; found another one");
      return { nonce, ts };
    } finally {
      clearTimeout(timer);
      stop();
      this.#waiting.delete("challenge");
    }
  }

  #take(frame: Frame): void {
    if (frame.type === "event") {
      for (const listener of this.#listeners) listener({ event: frame.event ?? "", payload: frame.payload ?? {} });
      return;
    }
    const waiting = this.#waiting.get(frame.id ?? "");
    this.#waiting.delete(frame.id ?? "");
    if (frame.ok) waiting?.resolve(frame.payload ?? {});
    else waiting?.reject(new GatewayRefusal(frame.error?.message ?? "refused without a reason"));
  }

  #die(reason: string): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    for (const waiting of this.#waiting.values())
      waiting.reject(new Error(`expected an answer of the gateway; ${reason}`));
    this.#waiting.clear();
  }
}
