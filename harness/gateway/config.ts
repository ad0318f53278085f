import { join } from "node:path";
import { baseConfig } from "../openclaw/adapters/embedded-config.ts";
import { embeddedRunnerPath } from "../openclaw/adapters/embedded.ts";
import { providerPlugins } from "../openclaw/adapters/provider-plugins.ts";
import { workerEnvironment } from "../openclaw/environment.ts";
import { chooseModel } from "../openclaw/models.ts";
import type { ModelApi } from "../openclaw/types.ts";

/** What a gateway's configuration is made of. */
export interface GatewaySettings {
  /** The `dist` folder of the installed OpenClaw. */
  dist: string;
  /** Folder of its own that the gateway may write to. */
  home: string;
  providerUrl: string;
  api: ModelApi;
  tools: readonly string[];
  port: number;
  token: string;
  /** How long a turn may take, in seconds; by default OpenClaw's own limit. */
  timeoutSeconds?: number;
}

/** Whether a release keeps its sessions in JSONL files; later ones have rows in SQLite. */
export function hasSessionFiles(dist: string): boolean {
  return embeddedRunnerPath(dist) !== undefined;
}

/** The `openclaw.json` of a gateway on loopback that talks to the strict provider and does nothing on its own. */
export function gatewayConfig(settings: GatewaySettings): object {
  const { dist, home, port, token, tools, timeoutSeconds } = settings;
  const { provider, model, config } = chooseModel({ api: settings.api }, settings.providerUrl);
  const files = hasSessionFiles(dist);
  const base = files
    ? baseConfig(dist)
    : { models: { mode: "replace" }, plugins: { allow: providerPlugins(dist), slots: { memory: "none" } } };
  return {
    ...base,
    models: { ...base.models, providers: { [provider]: config } },
    agents: {
      defaults: {
        workspace: join(home, "workspace"),
        skipBootstrap: true,
        ...(timeoutSeconds !== undefined && { timeoutSeconds }),
        model: { primary: `${provider}/${model}` },
        // Without it a session gets a title and a summary by requests of their own.
        ...(files ? {} : { utilityModel: "" }),
      },
    },
    // Commands run at once and as themselves: no approval, no sandbox.
    tools: {
      allow: tools,
      exec: { host: "gateway", security: "full", ask: "off" },
      ...(files ? {} : { toolSearch: false }),
    },
    gateway: { mode: "local", bind: "loopback", port, auth: { mode: "token", token }, controlUi: { enabled: false } },
    logging: { file: join(home, "gateway.log") },
  };
}

/**
 * The whole environment of a gateway: that of the in-process driver, and every service off that is no part of a chat.
 */
export function gatewayEnvironment(home: string, providerUrl: string): Record<string, string> {
  return {
    ...workerEnvironment(home, providerUrl),
    // The process that is started must be the gateway itself, or a kill would only meet its launcher.
    OPENCLAW_NO_RESPAWN: "1",
    OPENCLAW_PACKAGED_COMPILE_CACHE_RESPAWNED: "1",
    OPENCLAW_EXEC_SHELL_SNAPSHOT: "0",
    OPENCLAW_SKIP_BROWSER_CONTROL_SERVER: "1",
    OPENCLAW_SKIP_CANVAS_HOST: "1",
    OPENCLAW_SKIP_CRON: "1",
    OPENCLAW_SKIP_GMAIL_WATCHER: "1",
  };
}
