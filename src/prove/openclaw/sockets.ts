/** Where the processes of a proof reach each other: sockets that no other user of the machine can reach. */
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

/**
 * The ports that OpenClaw is told. Nobody listens on them: in a sealed process each is the name of a socket. No gateway
 * of a user's has such a port, and Node's `fetch` refuses neither.
 */
export const GATEWAY_PORT = 470;
export const PROVIDER_PORT = 490;

/** The variable that tells a sealed process the beginning of its sockets' paths. */
export const SOCKETS_VARIABLE = "OPENCLAW_INTEGRITY_PROOF_SOCKETS";

/** The kernel cuts or refuses longer paths of sockets; macOS has the lower limit. */
const LONGEST_PATH = 103;
const LONGEST_PORT = 65_535;

/** Makes the place of a home's sockets; returns the beginning of their paths. */
export function makeSockets(home: string): string {
  // Whoever may see the names of all pipes may not connect to those of another user.
  if (process.platform === "win32") return `\\\\.\\pipe\\openclaw-integrity-proof-${randomUUID()}-`;
  const folder = socketFolder(home);
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** Whether the paths of all sockets of a home are short enough. */
export function hasRoomForSockets(home: string): boolean {
  return Buffer.byteLength(socketAt(socketFolder(home), LONGEST_PORT, true)) <= LONGEST_PATH;
}

function socketFolder(home: string): string {
  return join(home, "s", "/");
}

/** The path of the socket that stands for a port of loopback; IPv6 has ports of its own. */
export function socketAt(sockets: string, port: number, isIpv6 = false): string {
  return `${sockets}${port}${isIpv6 ? ".6" : ""}`;
}
