import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chooseModel, clientTools, toolNames } from "../models.ts";
import type { Adapter, RawTurn, Session, WorkerSetup } from "../types.ts";
import { withOwnPlugin } from "./own-plugin.ts";
import { openAgentCommand } from "./agent-command.ts";
import { importChunk } from "./chunk.ts";
import { availableApis, providerPlugins } from "./provider-plugins.ts";
import { openRows } from "./rows.ts";

interface ConfigIo {
  clearConfigCache(): void;
  clearRuntimeConfigSnapshot(): void;
}

/** Drives the agent command of a release whose sessions are rows in SQLite. */
export async function openCommand(dist: string, setup: WorkerSetup): Promise<Adapter> {
  const sendTurn = await openAgentCommand(dist);
  const rows = await openRows(dist);
  const io = await importChunk<ConfigIo>(dist, /^io-.*\.m?js$/, ["clearConfigCache", "clearRuntimeConfigSnapshot"]);
  const configPath = join(setup.home, "state", "openclaw.json");
  const workspaceDir = join(setup.home, "workspace");
  const plugins = providerPlugins(dist);
  let current = "";

  /** OpenClaw reads its configuration from the file; it changes only when the next session wants another one. */
  async function configure(session: Session): Promise<void> {
    const choice = chooseModel(session, setup.providerUrl);
    const tools = toolNames(session.tools);
    const config = {
      models: { mode: "replace", providers: { [choice.provider]: choice.config } },
      agents: {
        defaults: {
          workspace: workspaceDir,
          skipBootstrap: true,
          model: { primary: `${choice.provider}/${choice.model}` },
          ...(session.compactionSeconds !== undefined && {
            compaction: { timeoutSeconds: session.compactionSeconds },
          }),
        },
      },
      // An empty `allow` allows everything.
      tools: { ...(tools.length > 0 ? { allow: tools } : { deny: ["*"] }), toolSearch: false },
      plugins: withOwnPlugin({ allow: plugins, slots: { memory: "none" } }, setup, true),
      ...(session.historyLimit === undefined
        ? {}
        : { channels: { telegram: { dmHistoryLimit: session.historyLimit } } }),
    };
    const text = JSON.stringify(config, null, 2);
    if (text === current) return;
    await writeFile(configPath, text);
    io.clearConfigCache();
    io.clearRuntimeConfigSnapshot();
    current = text;
  }

  return {
    name: "agentCommand, SQLite",
    apis: availableApis(dist),

    async store(session) {
      await configure(session);
      await rows.store(session);
    },

    async send(session, message, timeoutMs, signal): Promise<RawTurn> {
      await configure(session);
      return sendTurn(message, session.key, timeoutMs, signal, {
        thinking: session.thinking ? "low" : "off",
        clientTools: clientTools(session),
      });
    },

    read: (session) => rows.read(session),
  };
}
