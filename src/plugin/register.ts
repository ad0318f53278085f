import { fileURLToPath } from "node:url";
import { describeError } from "../base/coded-error.ts";
import { writeUnattended } from "../base/files/index.ts";
import { openclawAround } from "../patching/find/package.ts";
import { storeError } from "../store/errors.ts";
import { stateDirectory } from "../store/index.ts";
import type { HookContext, PluginApi } from "./api.ts";
import { Canary } from "./canary/canary.ts";
import type { Trial } from "./canary/trial.ts";
import { KeepFiles } from "./files/keep-files.ts";
import { CHECKPOINTS, ROLLBACK } from "./commands/checkpoints.ts";
import { defineCommand, listNamesakes } from "./commands/command.ts";
import { INCIDENTS } from "./commands/incidents.ts";
import { SCAN } from "./commands/scan.ts";
import { STATUS } from "./commands/status.ts";
import { REWIND } from "./commands/rewind.ts";
import { TIMELINE } from "./commands/timeline.ts";
import { readConfig, type PluginConfig } from "./settings/config.ts";
import { makeWorkReader } from "./continuity/move.ts";
import {
  closeWork,
  registerContinuity,
  type RegisteredContinuity,
  sharedWork,
  type WorkSettings,
} from "./continuity/register.ts";
import type { KeepEngine } from "./keep-patched/engine.ts";
import { PatchKeeper } from "./keep-patched/patch-keeper.ts";
import { followTurns, type RunBegins } from "./keep-patched/follow-turns.ts";
import { runningTurns } from "./keep-patched/running-turns.ts";
import { operatorNotifier } from "./sessions/notify.ts";
import { SessionMonitor } from "./sessions/session-monitor.ts";
import { makeLogger } from "./log.ts";
import type { ScanWorker } from "./remote/scan-worker.ts";
import { OwnCheckpoints } from "./sessions/own-checkpoints.ts";
import { childProcess, RemoteCalls, thread } from "./remote/remote.ts";
import { StoreCalls } from "./remote/store-calls.ts";
import type { StoreWriter } from "./remote/store-writer.ts";
import { registerTravel } from "./travel-tools.ts";

/**
 * The environment variables from which the core patch reads its checkpoint settings. A value set by the operator takes
 * precedence.
 */
const SETTINGS = {
  checkpointRetention: "OPENCLAW_INTEGRITY_CHECKPOINTS",
  checkpointInterval: "OPENCLAW_INTEGRITY_CHECKPOINT_INTERVAL",
  snapshotMessages: "OPENCLAW_INTEGRITY_SNAPSHOTS",
} as const;

/**
 * Idle time after which the writer process ends. Repairs in quick succession share one process, which takes some 200
 * MB.
 */
const WRITER_IDLE_MS = 10_000;

/** Delay after the end of a run: OpenClaw still writes for a moment. */
const SETTLED_MS = 1000;

/** What the hooks of both forms of the plugin use. */
export interface Shared {
  readonly monitor: () => SessionMonitor;
  /** Undefined when recorded work is turned off. */
  readonly continuity: RegisteredContinuity | undefined;
}

/**
 * Registers what both forms of the plugin have: the service, the commands, the tools, and the hooks on tool calls and
 * on the end of a run. `runBegins` is the hook that this OpenClaw calls when a run begins.
 */
export function registerShared(api: PluginApi, runBegins: RunBegins): Shared {
  const { config, problems } = readConfig(api.pluginConfig);
  writeUnattended();
  const log = makeLogger(api.logger, config.logLevel);
  let monitor: SessionMonitor | undefined;
  let keeper: PatchKeeper | undefined;
  let canary: Canary | undefined;
  // OpenClaw registers a plugin more often than it starts it, so the monitor is created on first use.
  const openMonitor = (): SessionMonitor => {
    if (monitor !== undefined) return monitor;
    const root = findRoot();
    const notify = operatorNotifier(root, config, log);
    keeper = new PatchKeeper({
      config: config.keepPatched,
      engine: new RemoteCalls<KeepEngine>(() => childProcess(new URL("./keep-process.mjs", import.meta.url)), {
        idleMs: WRITER_IDLE_MS,
      }),
      turns: runningTurns(),
      log,
      notify,
    });
    const scanWorker = new RemoteCalls<ScanWorker>(() =>
      thread(new URL("./worker.mjs", import.meta.url), { directory: stateDirectory() }),
    );
    const writer = new RemoteCalls<StoreWriter>(() => childProcess(new URL("./store-process.mjs", import.meta.url)), {
      idleMs: WRITER_IDLE_MS,
    });
    canary = new Canary({
      root,
      trial: new RemoteCalls<Trial>(() => childProcess(new URL("./canary-process.mjs", import.meta.url)), {
        idleMs: WRITER_IDLE_MS,
      }),
      publish: (found) => scanWorker.call("publish", found),
      log,
      notify,
    });
    monitor = new SessionMonitor({
      stateDirectory: stateDirectory(),
      root,
      config,
      log,
      notify,
      onStart(patch, isPatched) {
        void keeper?.start(patch, isPatched);
        void canary?.start(patch, isPatched);
      },
      protection: () => canary?.found,
      scanWorker,
      writer: new StoreCalls(writer, scanWorker),
    });
    return monitor;
  };
  let files: KeepFiles | undefined;
  api.registerService({
    id: "clawos-l0",
    start() {
      // Also where files are turned off by now: what was cut off before is settled, and what is kept grows old.
      files = new KeepFiles(stateDirectory(), log);
      void files.start();
      for (const problem of problems) log.error(problem);
      exportSettings(config);
      openMonitor().start();
    },
    async stop() {
      files?.stop();
      await Promise.all([monitor?.stop(), keeper?.stop(), canary?.stop(), closeWork()]);
      monitor = undefined;
    },
  });
  for (const command of [STATUS, SCAN, CHECKPOINTS, ROLLBACK, INCIDENTS, TIMELINE, REWIND])
    for (const named of listNamesakes(command)) api.registerCommand(defineCommand(named, openMonitor));
  if (config.keepPatched.enabled) followTurns(api, runBegins);
  const checkpoints = new OwnCheckpoints();
  api.on("before_tool_call", (_event, { sessionKey }) => checkpoints.count(sessionKey));
  api.on("agent_end", (_event, { sessionKey }: HookContext) => {
    const ended = Date.now();
    // An error in a timer must not end OpenClaw's process.
    const settled = async (): Promise<void> => {
      const used = openMonitor();
      if (sessionKey !== undefined) used.arrivals.ended(sessionKey, ended);
      await Promise.all([
        checkpoints.ended(sessionKey, used),
        used.retryWaiting(),
        used.deletions.noteConversation(sessionKey),
      ]);
    };
    const timer = setTimeout(
      () =>
        void settled().catch((error: unknown) =>
          log.warn(`the checkpoint of ${sessionKey} could not be made: ${describeError(error)}`),
        ),
      SETTLED_MS,
    );
    timer.unref();
  });
  const work = (): WorkSettings => ({ config: config.continuity, stateDirectory: stateDirectory(), log });
  registerTravel(api, config.timeTravel, (key) => makeWorkReader(sharedWork(work()), config.continuity, key));
  return { monitor: openMonitor, continuity: registerContinuity(api, work, config.continuity) };
}

/** Returns the folder of the OpenClaw that this process runs. Throws `openclaw-unfit` where there is none. */
function findRoot(): string {
  const root = openclawAround(process.argv[1] ?? "");
  if (root !== undefined) return root;
  throw storeError("openclaw-unfit", {
    expected: "the plugin to run in a process of OpenClaw",
    found: `${process.argv[1] ?? "no script"}, with no package openclaw around ${fileURLToPath(import.meta.url)}`,
    todo: "Start OpenClaw by its own command. Nothing was changed.",
  });
}

function exportSettings(config: PluginConfig): void {
  for (const [key, name] of Object.entries(SETTINGS) as [keyof typeof SETTINGS, string][]) {
    if (config[key] !== undefined) process.env[name] ??= String(config[key]);
  }
}
