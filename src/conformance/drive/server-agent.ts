import type { ChildProcess } from "node:child_process";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentInput } from "../cases/case.ts";
import { cannotRun } from "../errors.ts";
import { type Agent, type Ended, makeEnvironment, type Run, startProcess } from "./agent.ts";
import { Tail } from "./tail.ts";

const RETRY_MS = 20;
const ENDING_MS = 300;

const hasExited = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** A server that is sent each turn: POST of the agent's input as JSON; what it answers has the model's answer in it. */
export class ServerAgent implements Agent {
  private readonly url: URL;
  private readonly command: readonly string[];
  private readonly startMs: number;
  private server: Awaited<ReturnType<typeof startProcess>> | undefined;

  /** Without a command the server runs already, and is not killed. */
  constructor(url: URL, command: readonly string[], startMs: number) {
    this.url = url;
    this.command = command;
    this.startMs = startMs;
  }

  async start(input: AgentInput): Promise<Run> {
    await this.ensureServer(input.provider_url);
    const stop = new AbortController();
    return {
      ended: this.ask(input, stop.signal),
      kill: async () => {
        await this.close();
        stop.abort();
      },
    };
  }

  async close(): Promise<void> {
    await this.server?.kill();
    this.server = undefined;
  }

  private async ask(input: AgentInput, signal: AbortSignal): Promise<Ended> {
    const output = new Tail();
    try {
      const response = await fetch(this.url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(input),
        signal,
      });
      for await (const chunk of response.body ?? []) output.add(chunk as Uint8Array);
      if (response.ok) return { output: output.text };
      return { output: output.text, failure: `it answered HTTP ${response.status}: ${output.text.slice(0, 500)}` };
    } catch (error) {
      // A server that ends in a request is found to have ended a while after its connection.
      await Promise.race([
        ...(this.server ? [this.server.ended] : []),
        sleep(ENDING_MS, undefined, { ref: false, signal }),
      ]).catch(() => undefined);
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      return { output: output.text, failure: `the request to it failed: ${String(cause)}` };
    }
  }

  /** Starts the server where it does not run, or has ended by itself. */
  private async ensureServer(provider: string): Promise<void> {
    let isStarted = false;
    for (const until = Date.now() + this.startMs; !(await this.isListening()); await sleep(RETRY_MS)) {
      const isRunning = this.server !== undefined && !hasExited(this.server.child);
      if (isRunning && Date.now() < until) continue;
      if (!isRunning && !isStarted && this.command.length > 0) {
        this.server = await startProcess(this.command, makeEnvironment(provider));
        isStarted = true;
        continue;
      }
      const why = isRunning || this.server === undefined ? undefined : (await this.server.ended).failure;
      throw cannotRun({
        expected: `an agent that listens at ${this.url.host}`,
        found: why === undefined ? "none" : `none: ${why}`,
        todo: "Start the agent first, or name the command that starts it behind --.",
      });
    }
    if (this.server === undefined && this.command.length > 0)
      throw cannotRun({
        expected: `${this.url.host} to be free for the agent`,
        found: "a server that this command has not started",
        todo: "End it, or leave the agent's command out to test that server, without kills.",
      });
  }

  private isListening(): Promise<boolean> {
    const { hostname, port, protocol } = this.url;
    const usual = protocol === "https:" ? 443 : 80;
    return new Promise((resolve) => {
      const socket = connect(Number(port || usual), hostname.replaceAll(/[[\]]/g, ""));
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
  }
}
