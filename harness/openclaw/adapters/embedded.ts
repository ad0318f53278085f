import { mkdir, readFile, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { clientTools } from "../models.ts";
import { isEntry, parseLines, type TranscriptEntry } from "../transcript.ts";
import type { Adapter, RawTurn, Session, WorkerSetup } from "../types.ts";
import { baseConfig, sessionConfigs, type SessionConfig } from "./embedded-config.ts";
import { learnPlugins } from "./known-plugins.ts";
import { availableApis } from "./provider-plugins.ts";
import { withOwnPlugin } from "./own-plugin.ts";
import { stageRuntimeDeps } from "./runtime-deps.ts";

/** What we use of the releases whose embedded runner can be imported under its name (JSONL transcripts). */
interface EmbeddedRunner {
  runEmbeddedPiAgent(params: Record<string, unknown>): Promise<{
    payloads?: { text?: string; isError?: boolean }[];
    meta?: { aborted?: boolean; error?: { message?: string } };
  }>;
}

// The bundled releases export it for their extensions; before them every source is a file of its own.
const RUNNERS = ["extensionAPI.js", "agents/pi-embedded-runner.js"];

/** Path of the module that exports `runEmbeddedPiAgent`, if the release has it (to 2026.7). */
export function embeddedRunnerPath(dist: string): string | undefined {
  return RUNNERS.map((path) => join(dist, path)).find((path) => existsSync(path));
}

/** Drives the embedded runner of a release whose sessions are JSONL files. */
export async function openEmbedded(dist: string, runner: string, setup: WorkerSetup): Promise<Adapter> {
  const common = baseConfig(dist);
  const base = { ...common, plugins: withOwnPlugin(common.plugins, setup, false) };
  const configPath = join(setup.home, "state", "openclaw.json");
  const agentDir = join(setup.home, "state", "agents", "main", "agent");
  const workspaceDir = join(setup.home, "workspace");
  const sessionFile = (session: Session): string => join(dirname(agentDir), "sessions", `${session.id}.jsonl`);
  await mkdir(join(dirname(agentDir), "sessions"), { recursive: true });
  // The module reads the configuration while it is loaded, and would ask AWS for models if it found nothing.
  await writeFile(configPath, JSON.stringify(base));
  const { runEmbeddedPiAgent } = (await import(pathToFileURL(runner).href)) as EmbeddedRunner;
  await stageRuntimeDeps(dist);
  await learnPlugins(dist, base, workspaceDir);

  const makeConfig = sessionConfigs(dist, base, setup);
  let written: object | undefined;

  /**
   * The configuration also goes into the file, because some of OpenClaw's tools read that instead of what they are
   * given.
   */
  async function configure(session: Session): Promise<SessionConfig> {
    const settings = makeConfig(session);
    if (settings.config !== written) await writeFile(configPath, JSON.stringify(settings.config));
    written = settings.config;
    return settings;
  }

  return {
    name: `${basename(runner)}, JSONL`,
    apis: availableApis(dist),

    async store(session) {
      await writeFile(sessionFile(session), session.transcript);
    },

    async send(session, message, timeoutMs, signal): Promise<RawTurn> {
      const { choice, tools, config } = await configure(session);
      const result = await runEmbeddedPiAgent({
        sessionId: session.id,
        sessionKey: session.key,
        sessionFile: sessionFile(session),
        workspaceDir,
        agentDir,
        config,
        prompt: message,
        provider: choice.provider,
        model: choice.model,
        thinkLevel: session.thinking ? "low" : "off",
        disableTools: tools.length === 0,
        clientTools: clientTools(session),
        // No skills, or every turn reads all that the release brings.
        skillsSnapshot: { prompt: "", skills: [], resolvedSkills: [] },
        timeoutMs,
        abortSignal: signal,
        runId: `${session.id}-${performance.now()}`,
      });
      return {
        payloads: result.payloads ?? [],
        error: result.meta?.error?.message ?? (result.meta?.aborted ? "aborted" : undefined),
      };
    },

    async read(session): Promise<TranscriptEntry[]> {
      return parseLines(await readFile(sessionFile(session), "utf8")).filter(isEntry);
    },
  };
}
