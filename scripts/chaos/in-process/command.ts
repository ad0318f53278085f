import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { importChunk } from "../../../test/openclaw/adapters/chunk.ts";
import { providerPlugins } from "../../../test/openclaw/adapters/provider-plugins.ts";
import { openRows } from "../../../test/openclaw/adapters/rows.ts";
import { chooseModel } from "../../../test/openclaw/models.ts";
import type { Session, WorkerSetup } from "../../../test/openclaw/types.ts";
import type { AgentEvent, Drive, Told } from "./drive.ts";

interface AgentCommand {
  agentCommand(
    options: Record<string, unknown>,
    runtime: { log(...args: unknown[]): void; error(...args: unknown[]): void; exit(code: number): void },
  ): Promise<{ payloads?: { text?: string; isError?: boolean }[]; meta?: { error?: { message?: string } } } | undefined>;
}

interface AgentEvents {
  onAgentEvent(listener: (event: AgentEvent) => void): () => void;
}

/** Drives several conversations at once through the agent command of a release whose sessions are rows in SQLite. */
export async function driveCommand(dist: string, setup: WorkerSetup, told: Told): Promise<Drive> {
  const { agentCommand } = await importChunk<AgentCommand>(dist, /^agent-command-.*\.m?js$/, ["agentCommand"]);
  const { onAgentEvent } = await importChunk<AgentEvents>(dist, /^agent-events-.*\.m?js$/, ["onAgentEvent"]);
  const rows = await openRows(dist);
  onAgentEvent(told);
  const configPath = join(setup.home, "state", "openclaw.json");
  let configured: Promise<void> | undefined;

  /** All conversations have the same settings, so that the file is written once and never while it is read. */
  async function configure(session: Session): Promise<void> {
    const { provider, model, config } = chooseModel(session, setup.providerUrl);
    const settings = {
      models: { mode: "replace", providers: { [provider]: config } },
      agents: { defaults: { workspace: join(setup.home, "workspace"), skipBootstrap: true, model: { primary: `${provider}/${model}` } } },
      tools: { allow: session.tools, toolSearch: false },
      plugins: { allow: providerPlugins(dist), slots: { memory: "none" } },
      // Its workers would load OpenClaw again in each of the hundreds of processes, to find that there is nothing to clean up.
      session: { maintenance: { mode: "warn", maxDiskBytes: false } },
    };
    const text = JSON.stringify(settings, null, 2);
    if (!existsSync(configPath) || (await readFile(configPath, "utf8")) !== text) await writeFile(configPath, text);
  }

  return {
    async store(session) {
      await (configured ??= configure(session));
      if (session.transcript !== "") await rows.store(session);
    },
    async send(session, message, timeoutMs, signal) {
      await (configured ??= configure(session));
      const errors: string[] = [];
      const result = await agentCommand(
        {
          message,
          runId: randomUUID(),
          sessionKey: session.key,
          agentId: "main",
          thinking: "off",
          timeout: String(Math.ceil(timeoutMs / 1000)),
          senderIsOwner: true,
          abortSignal: signal,
          // A lane of its own, as a gateway has several.
          lane: session.key,
        },
        { log: () => {}, error: (...args) => errors.push(args.map(String).join(" ")), exit: (code) => errors.push(`exit ${code}`) },
      );
      const payloads = result?.payloads ?? [];
      return { payloads, error: result?.meta?.error?.message ?? (payloads.length === 0 && errors.length > 0 ? errors.join("\n") : undefined) };
    },
    read: (session) => rows.read(session),
  };
}
