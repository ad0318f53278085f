/** A client as agents have one: the SDK's own, with the server as a process of its own. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { CallToolResult, TextContent } from "@modelcontextprotocol/sdk/types.js";
import { MAIN } from "../../harness/command.ts";
import { newFolder } from "../../harness/temporary.ts";

const clients: AgentClient[] = [];

/** A place for a store that is not there yet. */
export function newStoreFile(): string {
  return join(newFolder(), "work", "store.sqlite");
}

/** Ends every server of a test. */
export async function cleanUp(): Promise<void> {
  for (const client of clients.splice(0)) await client.close();
}

/** The environment of a server: nothing of the machine's own OpenClaw. */
export function serverEnvironment(): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: tmpdir() };
}

/** How a client is started. */
export interface ClientOptions {
  readonly args?: readonly string[];
  /** OpenClaw's state directory; the server's stores are there unless it is told of another. */
  readonly stateDir?: string;
  /** What it calls itself. */
  readonly name?: string;
}

export class AgentClient {
  readonly client: Client;
  readonly transport: StdioClientTransport;
  readonly #closed: Promise<void>;
  #stderr = "";

  private constructor({ args = [], stateDir, name = "test" }: ClientOptions) {
    this.client = new Client({ name, version: "1" });
    const env = { ...serverEnvironment(), ...(stateDir === undefined ? {} : { OPENCLAW_STATE_DIR: stateDir }) };
    this.transport = new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, "continuity", "mcp", ...args],
      env,
      stderr: "pipe",
    });
    this.transport.stderr?.on("data", (chunk: Buffer) => (this.#stderr += chunk.toString()));
    this.#closed = new Promise((resolve) => {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's Client is no EventTarget
      this.client.onclose = resolve;
    });
  }

  /** Starts `openclaw-integrity continuity mcp` and connects to it. */
  static start(...args: string[]): Promise<AgentClient> {
    return AgentClient.startWith({ args });
  }

  /** The same with a state directory or a name of its own. */
  static async startWith(options: ClientOptions): Promise<AgentClient> {
    const agent = new AgentClient(options);
    await agent.client.connect(agent.transport);
    clients.push(agent);
    return agent;
  }

  /** What the server has printed to standard error. */
  get stderr(): string {
    return this.#stderr;
  }

  /** What a tool answers; throws where the tool says that it is an error. */
  async call(name: string, input: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const { text, isError } = await this.ask(name, input);
    if (isError) throw new Error(text);
    return JSON.parse(text) as Record<string, unknown>;
  }

  /** What a tool answers, error or not. */
  async ask(
    name: string,
    input: Record<string, unknown> = {},
  ): Promise<{ text: string; isError: boolean; code: unknown }> {
    const result = (await this.client.callTool({ name, arguments: input })) as CallToolResult;
    const { content, isError = false, _meta: meta } = result;
    return { text: (content[0] as TextContent).text, isError, code: meta?.["openclaw-integrity/code"] };
  }

  /** The same agent, which says of each call that it is of this project. */
  inProject(project_id: string): Pick<AgentClient, "call" | "ask"> {
    return {
      call: (name, input) => this.call(name, { project_id, ...input }),
      ask: (name, input) => this.ask(name, { project_id, ...input }),
    };
  }

  /** As a power cut would. */
  async kill(): Promise<void> {
    process.kill(this.transport.pid!, "SIGKILL");
    await this.#closed;
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}
