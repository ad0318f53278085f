import { pipeline } from "node:stream";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { ErrorCode, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { quotedInline } from "../base/quoted.ts";
import { complain, standardOutput } from "../base/terminal.ts";
import { idIn, Lines } from "./lines.ts";
import { continuityServer, type ServerOptions } from "./server.ts";

/** How long requests under way may take after the client has gone, so that they still reach the ledger. */
const LAST_CALLS_MS = 5000;
/** The longest accepted line in bytes; the longest input of a tool is a fraction of it. */
const LONGEST_LINE = 1024 * 1024;
/** The most concurrent requests: further lines are read when some of these are answered. */
const MAX_UNDER_WAY = 200;
const LONGEST_REASON = 200;

/**
 * Serves on standard input and output until the client closes the input or SIGTERM, SIGINT or SIGHUP arrives. Calls
 * under way are finished and answered first, then the leases are released. A kill -9 leaves a lease behind, which
 * expires or is taken over. A line that is not a message of the protocol, or is too long, is answered with the
 * protocol's error, and the server continues.
 */
export async function serveStdio(options: ServerOptions): Promise<void> {
  const underWay = new Set<Promise<unknown>>();
  const lines = new Lines(LONGEST_LINE, (head, tail) =>
    refuse(
      idIn(head, tail),
      ErrorCode.InvalidRequest,
      `expected a message of at most ${LONGEST_LINE} bytes; found a longer message. Nothing was done.`,
    ),
  );
  const readOn = (): void =>
    void (underWay.size < MAX_UNDER_WAY && !standardOutput().writableNeedDrain ? lines.resume() : lines.pause());
  const server = continuityServer({
    ...options,
    onCall: (call) => {
      const ends = call
        .then(
          () => undefined,
          () => undefined,
        )
        .then(() => {
          underWay.delete(ends);
          readOn();
        });
      underWay.add(ends);
      readOn();
    },
  });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's Server is no EventTarget
  server.onerror = (error) => {
    const [code, expected] =
      error instanceof SyntaxError
        ? [ErrorCode.ParseError, "a line of JSON"]
        : error.name === "ZodError"
          ? [ErrorCode.InvalidRequest, "a message of the Model Context Protocol"]
          : [];
    complain(
      "openclaw-integrity: continuity mcp: " +
        (expected === undefined
          ? quotedInline(error.message, LONGEST_REASON)
          : `expected ${expected}; found something else.`),
    );
    if (code !== undefined) refuse(undefined, code, `expected ${expected}; found something else. Nothing was done.`);
  };
  // Each answer that waits for room on standard output adds a listener.
  standardOutput().setMaxListeners(0).on("drain", readOn);
  const ended = endOfService(lines);
  const transport = new StdioServerTransport(lines);
  pipeline(process.stdin, lines, () => undefined);
  await server.connect(transport);
  await ended;
  await Promise.race([Promise.all(underWay), sleep(LAST_CALLS_MS, undefined, { ref: false })]);
  // The answers are written after the calls have ended.
  await turn();
  await server.close();
  // A client that keeps its end open must not keep the process alive.
  lines.destroy();
  await options.leases.releaseAll();

  function refuse(id: string | number | undefined, code: ErrorCode, message: string): void {
    const answer: JSONRPCMessage = { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), error: { code, message } };
    transport.send(answer).catch(() => undefined);
  }
}

function endOfService(lines: Lines): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => resolve();
    lines.once("end", end).once("close", end);
    // The client no longer reads.
    standardOutput().once("error", end);
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, end);
  });
}
