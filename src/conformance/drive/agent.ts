/** An agent as the kit drives it, and what its command is given. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentInput } from "../cases/case.ts";
import { cannotRun } from "../errors.ts";
import { Tail } from "./tail.ts";

/** How a run has ended. */
export interface Ended {
  /** The end of what the agent has said; the model's answer is looked for in it. */
  readonly output: string;
  /** Why the run is no answer, whatever was said. */
  readonly failure?: string;
}

/** The agent at work on one turn. */
export interface Run {
  readonly ended: Promise<Ended>;
  /** Ends the agent at once, as a machine does that fails. */
  kill(): Promise<void>;
}

/** The agent under test. */
export interface Agent {
  /** Rejects with an AgentTestError where the agent cannot be started. */
  start(input: AgentInput): Promise<Run>;
  close(): Promise<void>;
}

/** Standard error is for the reader of a report. */
const KEPT_ERRORS = 2000;
/** How long output may come behind the end of a process: a child of it can hold the pipe for ever. */
const DRAIN_MS = 300;

/** What the agent's SDKs read of their environment. The keys are none, so that no real one is used. */
export function makeEnvironment(provider: string): Record<string, string> {
  return {
    OPENAI_BASE_URL: `${provider}/v1`,
    OPENAI_API_KEY: "test-agent",
    ANTHROPIC_BASE_URL: provider,
    ANTHROPIC_API_KEY: "test-agent",
    GOOGLE_GEMINI_BASE_URL: provider,
    GEMINI_API_KEY: "test-agent",
    GOOGLE_API_KEY: "test-agent",
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: provider,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test-agent",
    AWS_SECRET_ACCESS_KEY: "test-agent",
    NO_PROXY: "127.0.0.1",
    no_proxy: "127.0.0.1",
  };
}

/** A command that is started for each turn: it reads the file of `TEST_AGENT_CASE` and says the answer. */
export class CommandAgent implements Agent {
  private readonly command: readonly string[];

  constructor(command: readonly string[]) {
    this.command = command;
  }

  async start(input: AgentInput): Promise<Run> {
    const file = join(input.state, "..", "case.json");
    writeFileSync(file, JSON.stringify(input, null, 2));
    const child = await startProcess(this.command, { ...makeEnvironment(input.provider_url), TEST_AGENT_CASE: file });
    return { ended: child.ended, kill: child.kill };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** What runs now. A group of its own hears nothing of a Ctrl-C, so it is ended when this process ends. */
const running = new Set<ChildProcess>();
const killRunning = (): void => running.forEach(killGroup);

/** Starts a command in a group of its own. Rejects where there is none of that name. */
export async function startProcess(
  [command = "", ...args]: readonly string[],
  environment: Record<string, string>,
): Promise<Run & { readonly child: ChildProcess }> {
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment },
    // A group of its own, which a kill reaches with all that the agent has started.
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  const [output, errors] = [new Tail(), new Tail(KEPT_ERRORS)];
  child.stdout.on("data", (chunk: Buffer) => output.add(chunk));
  child.stderr.on("data", (chunk: Buffer) => errors.add(chunk));
  const closed = once(child, "close");
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  try {
    await once(child, "spawn");
  } catch (error) {
    closed.catch(() => undefined);
    exited.catch(() => undefined);
    throw cannotRun({
      expected: "a command that starts the agent",
      found: `${command}: ${(error as Error).message}`,
      todo: "Name the agent's command behind --, as in: -- node agent.mjs",
    });
  }
  running.add(child);
  process.off("exit", killRunning).on("exit", killRunning);
  const end = async (): Promise<Ended> => {
    const [code, signal] = await exited;
    killGroup(child);
    running.delete(child);
    await Promise.race([closed, sleep(DRAIN_MS, undefined, { ref: false })]);
    child.stdout.destroy();
    child.stderr.destroy();
    const said = errors.text.trim();
    const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
    return {
      output: output.text,
      ...(code !== 0 && { failure: `it ended with ${how}${said === "" ? "" : `: ${said}`}` }),
    };
  };
  const ended = end();
  const kill = async (): Promise<void> => {
    killGroup(child);
    await ended;
  };
  return { child, ended, kill };
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  if (process.platform === "win32") {
    if (child.exitCode === null) spawnSync("taskkill", ["/pid", String(child.pid), "/T", "/F"], { stdio: "ignore" });
    return;
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // Nothing of the group is left.
  }
}
