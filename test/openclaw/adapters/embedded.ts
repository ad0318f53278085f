import { mkdir, readFile, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { ALL_APIS, chooseModel, toolNames } from "../models.ts";
import { isEntry, parseLines, type TranscriptEntry } from "../transcript.ts";
import type { Adapter, RawTurn, Session, WorkerSetup } from "../types.ts";

/** What we use of the releases that export their embedded runner (JSONL transcripts, from 2026.1). */
interface ExtensionApi {
  runEmbeddedPiAgent(params: Record<string, unknown>): Promise<{
    payloads?: { text?: string; isError?: boolean }[];
    meta?: { aborted?: boolean; error?: { message?: string } };
  }>;
}

const BASE_CONFIG = {
  // AWS is asked for its list of models as soon as there are credentials for it.
  models: { mode: "replace", bedrockDiscovery: { enabled: false } },
  // Channels are plugins that are compiled when they are first used; no session here needs one.
  plugins: { enabled: false },
};

/** Path of the module that exports `runEmbeddedPiAgent`, if the release has it. */
export function extensionApiPath(dist: string): string | undefined {
  const path = join(dist, "extensionAPI.js");
  return existsSync(path) ? path : undefined;
}

/** Drives the embedded runner of a release whose sessions are JSONL files. */
export async function openEmbedded(apiPath: string, setup: WorkerSetup): Promise<Adapter> {
  const configPath = join(setup.home, "state", "openclaw.json");
  const agentDir = join(setup.home, "state", "agents", "main", "agent");
  const workspaceDir = join(setup.home, "workspace");
  const fileOf = (session: Session): string => join(dirname(agentDir), "sessions", `${session.id}.jsonl`);
  await mkdir(join(dirname(agentDir), "sessions"), { recursive: true });
  // The module reads the configuration while it is loaded, and would ask AWS for models if it found nothing.
  await writeFile(configPath, JSON.stringify(BASE_CONFIG));
  const { runEmbeddedPiAgent } = (await import(pathToFileURL(apiPath).href)) as ExtensionApi;

  /** The configuration also goes into the file, because some of OpenClaw's tools read that instead of what they are given. */
  async function configure(session: Session) {
    const choice = chooseModel(session, setup.providerUrl);
    const tools = toolNames(session.tools);
    const config = {
      ...BASE_CONFIG,
      models: { ...BASE_CONFIG.models, providers: { [choice.provider]: choice.config } },
      agents: { defaults: { workspace: workspaceDir, skipBootstrap: true } },
      tools: { allow: tools },
      ...(session.historyLimit === undefined ? {} : { channels: { telegram: { dmHistoryLimit: session.historyLimit } } }),
    };
    await writeFile(configPath, JSON.stringify(config));
    return { choice, tools, config };
  }

  return {
    apis: ALL_APIS,

    async store(session) {
      await writeFile(fileOf(session), session.transcript);
    },

    async send(session, message, timeoutMs, signal): Promise<RawTurn> {
      const { choice, tools, config } = await configure(session);
      const result = await runEmbeddedPiAgent({
        sessionId: session.id,
        sessionKey: session.key,
        sessionFile: fileOf(session),
        workspaceDir,
        agentDir,
        config,
        prompt: message,
        provider: choice.provider,
        model: choice.model,
        thinkLevel: session.thinking ? "low" : "off",
        disableTools: tools.length === 0,
        // No skills, or every turn reads all that the release brings.
        skillsSnapshot: { prompt: "", skills: [], resolvedSkills: [] },
        timeoutMs,
        abortSignal: signal,
        runId: `${session.id}-${performance.now()}`,
      });
      return { payloads: result.payloads ?? [], error: result.meta?.error?.message ?? (result.meta?.aborted ? "aborted" : undefined) };
    },

    async read(session): Promise<TranscriptEntry[]> {
      return parseLines(await readFile(fileOf(session), "utf8")).filter(isEntry);
    },
  };
}
