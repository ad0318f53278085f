import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { continuityServer, type ServerOptions } from "./server.ts";

/** A client that has gone waits for nothing, but what it asked for last may still be on its way into the ledger. */
const LAST_CALLS_MS = 5000;

/**
 * Serves on standard input and output until the client closes the input, or SIGTERM, SIGINT or SIGHUP comes. Calls under way are finished and answered
 * first, then the leases are given back. A kill -9 leaves a lease behind, which ends by its time or is taken over.
 */
export async function serveStdio(options: ServerOptions): Promise<void> {
  const underWay = new Set<Promise<unknown>>();
  const server = continuityServer({
    ...options,
    onCall: (call) => {
      const ends = call.then(() => undefined, () => undefined).then(() => void underWay.delete(ends));
      underWay.add(ends);
    },
  });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's Server is no EventTarget
  server.onerror = (error) => console.error(`openclaw-integrity: continuity mcp: ${error.message}`);
  const ended = theEnd();
  await server.connect(new StdioServerTransport());
  await ended;
  await Promise.race([Promise.all(underWay), sleep(LAST_CALLS_MS, undefined, { ref: false })]);
  // The answers go out behind the calls.
  await turn();
  await server.close();
  await options.leases.releaseAll();
}

function theEnd(): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => resolve();
    process.stdin.once("end", end).once("close", end);
    // A client that reads no more.
    process.stdout.once("error", end);
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, end);
  });
}
