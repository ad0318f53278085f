/**
 * Preloaded into each Node process of a proof's OpenClaw: its network is a folder. A port of loopback that it listens
 * on or connects to is a socket there; other addresses cannot be reached. So what other users of the machine listen on
 * or send is neither in the way of a proof nor part of it.
 */
import { existsSync } from "node:fs";
import net, { type Server, type Socket } from "node:net";
import { constants } from "node:os";
import { socketAt, SOCKETS_VARIABLE } from "./sockets.ts";

interface Address {
  readonly port: number;
  readonly host: string;
}

const sockets = process.env[SOCKETS_VARIABLE] ?? "";
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1|\[::1\]|::ffff:127\.\d+\.\d+\.\d+|0\.0\.0\.0|::)$/i;
const isIpv6 = (host: string): boolean => /^\[?::1\]?$/.test(host);
/** Where the ports begin that are given to whoever asks for any. */
const FIRST_FREE_PORT = 50_000;
let nextFreePort = FIRST_FREE_PORT;

const { listen } = net.Server.prototype;
const { connect } = net.Socket.prototype;

net.Server.prototype.listen = function (this: Server, ...given: unknown[]): Server {
  const wanted = addressIn(given, "0.0.0.0");
  if (wanted === undefined) return Reflect.apply(listen, this, given) as Server;
  const { host } = wanted;
  const port = wanted.port === 0 ? nextFreePort++ : wanted.port;
  this.prependListener("connection", (socket: Socket) => nameEnds(socket, host, port));
  this.address = () => (this.listening ? { address: host, family: isIpv6(host) ? "IPv6" : "IPv4", port } : null);
  const more = isRecord(given[0]) ? { signal: given[0].signal } : {};
  const options = { ...more, path: socketAt(sockets, port, isIpv6(host)) };
  return Reflect.apply(listen, this, [options, callbackIn(given)]) as Server;
} as typeof listen;

net.Socket.prototype.connect = function (this: Socket, ...given: unknown[]): Socket {
  // `net.connect` has brought its arguments into a list of options and callback.
  const plain = Array.isArray(given[0]) ? (given[0] as unknown[]) : given;
  const wanted = addressIn(plain, "localhost");
  if (wanted === undefined) return Reflect.apply(connect, this, given) as Socket;
  const { host, port } = wanted;
  const path = socketAt(sockets, port, isIpv6(host));
  if (!LOOPBACK.test(host) || !existsSync(path)) return refuse(this, wanted);
  nameEnds(this, host, port);
  const options = { ...(isRecord(plain[0]) ? plain[0] : {}), host: undefined, port: undefined, path };
  return Reflect.apply(connect, this, [options, callbackIn(plain)]) as Socket;
} as typeof connect;

/** The address of arguments of `listen` or `connect`; undefined when they name a path, a handle or nothing. */
function addressIn(given: readonly unknown[], otherwise: string): Address | undefined {
  const [first, second] = given;
  const { port, host, path, fd, handle, _handle } = isRecord(first) ? first : { port: first, host: second };
  if ([path, fd, handle, _handle].some((other) => other !== undefined && other !== null)) return undefined;
  const isPort = typeof port === "number" || (typeof port === "string" && /^\d+$/.test(port));
  // `listen()` and `listen(callback)` ask for any port.
  const isAny = port === undefined || port === null || typeof port === "function";
  if (!isPort && !isAny) return undefined;
  return { port: isPort ? Number(port) : 0, host: typeof host === "string" && host !== "" ? host : otherwise };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function callbackIn(given: readonly unknown[]): unknown {
  return given.findLast((one) => typeof one === "function");
}

/** Gives a socket of a path, which has no addresses, those of both ends: OpenClaw asks who is at the other one. */
function nameEnds(socket: Socket, host: string, port: number): void {
  const [address, family] = isIpv6(host) ? ["::1", "IPv6"] : ["127.0.0.1", "IPv4"];
  const ends = {
    remoteAddress: address,
    remoteFamily: family,
    remotePort: port,
    localAddress: address,
    localPort: port,
  };
  for (const [name, value] of Object.entries(ends)) Object.defineProperty(socket, name, { value, configurable: true });
}

/**
 * Refuses a connection as a machine does on whose port nobody listens: later, and with the one error that programs
 * expect of it.
 */
function refuse(socket: Socket, { host, port }: Address): Socket {
  const more = { code: "ECONNREFUSED", errno: -constants.errno.ECONNREFUSED, syscall: "connect", address: host, port };
  const error = Object.assign(new Error(`connect ECONNREFUSED ${host}:${port}`), more);
  Object.assign(socket, { connecting: true });
  setImmediate(() => socket.destroy(error));
  return socket;
}
