import { randomUUID } from "node:crypto";
import type { RawTurn } from "../types.ts";
import { importChunk } from "./chunk.ts";

interface AgentCommand {
  agentCommand(
    options: Record<string, unknown>,
    runtime: { log(...args: unknown[]): void; error(...args: unknown[]): void; exit(code: number): void },
  ): Promise<
    { payloads?: { text?: string; isError?: boolean }[]; meta?: { error?: { message?: string } } } | undefined
  >;
}

/** One turn through the agent command; `more` are options of OpenClaw's besides what every turn has. */
export type SendTurn = (
  message: string,
  sessionKey: string,
  timeoutMs: number,
  signal: AbortSignal,
  more: Record<string, unknown>,
) => Promise<RawTurn>;

/** Takes up the agent command of a release whose sessions are rows in SQLite. */
export async function openAgentCommand(dist: string): Promise<SendTurn> {
  const { agentCommand } = await importChunk<AgentCommand>(dist, /^agent-command-.*\.m?js$/, ["agentCommand"]);
  return async (message, sessionKey, timeoutMs, abortSignal, more) => {
    const errors: string[] = [];
    const result = await agentCommand(
      {
        message,
        // A new one for every turn, as from the gateway; the default is the session's id.
        runId: randomUUID(),
        sessionKey,
        agentId: "main",
        timeout: String(Math.ceil(timeoutMs / 1000)),
        senderIsOwner: true,
        abortSignal,
        ...more,
      },
      {
        log: () => {},
        error: (...args) => errors.push(args.map(String).join(" ")),
        exit: (code) => errors.push(`exit ${code}`),
      },
    );
    const payloads = result?.payloads ?? [];
    const printed = payloads.length === 0 && errors.length > 0 ? errors.join("\n") : undefined;
    const error = result?.meta?.error?.message ?? printed;
    return { payloads, ...(error !== undefined && { error }) };
  };
}
