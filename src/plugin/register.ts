import { fileURLToPath } from "node:url";
import { reasonOf } from "../base/coded-error.ts";
import { writeUnattended } from "../base/files/index.ts";
import { openclawAround } from "../patching/find/package.ts";
import { storeError } from "../store/errors.ts";
import { stateDirectory } from "../store/index.ts";
import type { HookContext, PluginApi } from "./api.ts";
import { CHECKPOINTS, ROLLBACK } from "./commands/checkpoints.ts";
import { definitionOf } from "./commands/command.ts";
import { INCIDENTS } from "./commands/incidents.ts";
import { SCAN } from "./commands/scan.ts";
import { STATUS } from "./commands/status.ts";
import { REWIND, TIMELINE } from "./commands/timeline.ts";
import { readConfig, type PluginConfig } from "./settings/config.ts";
import { closeWork, registerContinuity, type RegisteredContinuity } from "./continuity/register.ts";
import { SessionMonitor } from "./sessions/session-monitor.ts";
import { logFrom } from "./log.ts";
import type { ScanWorker } from "./remote/scan-worker.ts";
import { OwnCheckpoints } from "./sessions/own-checkpoints.ts";
import { childProcess, RemoteCalls, thread } from "./remote/remote.ts";
import type { StoreWriter } from "./remote/store-writer.ts";
import { registerTravel } from "./travel-tools.ts";

/** The variables that the core patch reads its checkpoint settings from; what the operator has set there holds. */
const SETTINGS = {
  checkpointRetention: "OPENCLAW_INTEGRITY_CHECKPOINTS",
  checkpointInterval: "OPENCLAW_INTEGRITY_CHECKPOINT_INTERVAL",
  snapshotMessages: "OPENCLAW_INTEGRITY_SNAPSHOTS",
} as const;

/** Sessions that are repaired one after the other share a process; it holds some 200 MB. */
const WRITER_IDLE_MS = 10_000;

/** Once a run is over OpenClaw still writes for a moment. */
const SETTLED_MS = 1000;

/** How the hooks of a generation reach what both share. */
export interface Shared {
  readonly monitor: () => SessionMonitor;
  /** Undefined when it is turned off. */
  readonly continuity: RegisteredContinuity | undefined;
}

/**
 * What both generations of OpenClaw are given: a service, the commands, the tools of recorded work, and what ends a
 * run.
 */
export function registerShared(api: PluginApi): Shared {
  const { config, problems } = readConfig(api.pluginConfig);
  writeUnattended();
  const log = logFrom(api.logger, config.logLevel);
  let monitor: SessionMonitor | undefined;
  // OpenClaw registers a plugin more often than it runs it: nothing begins before it is used.
  const reached = (): SessionMonitor => {
    monitor ??= new SessionMonitor({
      stateDirectory: stateDirectory(),
      root: rootOf(),
      config,
      log,
      scanWorker: new RemoteCalls<ScanWorker>(() =>
        thread(new URL("./worker.mjs", import.meta.url), { directory: stateDirectory() }),
      ),
      writer: new RemoteCalls<StoreWriter>(() => childProcess(new URL("./store-process.mjs", import.meta.url)), {
        idleMs: WRITER_IDLE_MS,
      }),
    });
    return monitor;
  };
  api.registerService({
    id: "clawos-l0",
    start() {
      for (const problem of problems) log.error(problem);
      passOn(config);
      reached().start();
    },
    async stop() {
      await Promise.all([monitor?.stop(), closeWork()]);
      monitor = undefined;
    },
  });
  for (const command of [STATUS, SCAN, CHECKPOINTS, ROLLBACK, INCIDENTS, TIMELINE, REWIND])
    api.registerCommand(definitionOf(command, reached));
  const checkpoints = new OwnCheckpoints();
  api.on("before_tool_call", (_event, { sessionKey }) => checkpoints.count(sessionKey));
  api.on("agent_end", (_event, { sessionKey }: HookContext) => {
    // Nothing that goes wrong in a timer may end OpenClaw's process.
    const settled = async (): Promise<void> => {
      const own = reached();
      await Promise.all([checkpoints.ended(sessionKey, own), own.retryWaiting(), own.deletions.ran(sessionKey)]);
    };
    const timer = setTimeout(
      () => void settled().catch((error: unknown) => log.warn(`no checkpoint of ${sessionKey}: ${reasonOf(error)}`)),
      SETTLED_MS,
    );
    timer.unref();
  });
  registerTravel(api, config.timeTravel.enabled);
  return {
    monitor: reached,
    continuity: registerContinuity(
      api,
      () => ({ config: config.continuity, stateDirectory: stateDirectory(), log }),
      config.continuity,
    ),
  };
}

/** The OpenClaw that this process runs. */
function rootOf(): string {
  const root = openclawAround(process.argv[1] ?? "");
  if (root !== undefined) return root;
  throw storeError("openclaw-unfit", {
    expected: "the plugin to run in a process of OpenClaw",
    found: `${process.argv[1] ?? "no script"}, with no package openclaw around ${fileURLToPath(import.meta.url)}`,
    todo: "Start OpenClaw by its own command. Nothing was changed.",
  });
}

function passOn(config: PluginConfig): void {
  for (const [key, name] of Object.entries(SETTINGS) as [keyof typeof SETTINGS, string][]) {
    if (config[key] !== undefined) process.env[name] ??= String(config[key]);
  }
}
