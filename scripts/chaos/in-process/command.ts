import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openAgentCommand } from "../../../harness/openclaw/adapters/agent-command.ts";
import { importChunk } from "../../../harness/openclaw/adapters/chunk.ts";
import { providerPlugins } from "../../../harness/openclaw/adapters/provider-plugins.ts";
import { openRows } from "../../../harness/openclaw/adapters/rows.ts";
import { chooseModel } from "../../../harness/openclaw/models.ts";
import type { Session, WorkerSetup } from "../../../harness/openclaw/types.ts";
import type { AgentEvent, Drive, Told } from "./types.ts";

interface AgentEvents {
  onAgentEvent(listener: (event: AgentEvent) => void): () => void;
}

/** Drives several conversations at once through the agent command of a release whose sessions are rows in SQLite. */
export async function driveCommand(dist: string, setup: WorkerSetup, told: Told): Promise<Drive> {
  const sendTurn = await openAgentCommand(dist);
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
      agents: {
        defaults: {
          workspace: join(setup.home, "workspace"),
          skipBootstrap: true,
          model: { primary: `${provider}/${model}` },
        },
      },
      tools: { allow: session.tools, toolSearch: false },
      plugins: { allow: providerPlugins(dist), slots: { memory: "none" } },
      // Its workers would load OpenClaw again in each of the hundreds of processes, to find that there is nothing to
      // clean up.
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
      // A lane of its own, as a gateway has several.
      return sendTurn(message, session.key, timeoutMs, signal, { thinking: "off", lane: session.key });
    },
    read: (session) => rows.read(session),
  };
}
