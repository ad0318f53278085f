import { mkdir, readFile, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { baseConfig, sessionConfigs } from "../../../harness/openclaw/adapters/embedded-config.ts";
import { isEntry, parseLines } from "../../../harness/openclaw/transcript.ts";
import type { WorkerSetup } from "../../../harness/openclaw/types.ts";
import type { Drive, Told } from "./types.ts";

interface EmbeddedRunner {
  runEmbeddedPiAgent(params: Record<string, unknown>): Promise<{
    payloads?: { text?: string; isError?: boolean }[];
    meta?: { aborted?: boolean; error?: { message?: string } };
  }>;
}

/** Drives several conversations at once through the embedded runner of a release with JSONL transcripts. */
export async function driveEmbedded(dist: string, runner: string, setup: WorkerSetup, told: Told): Promise<Drive> {
  const base = baseConfig(dist);
  const configPath = join(setup.home, "state", "openclaw.json");
  const agentDir = join(setup.home, "state", "agents", "main", "agent");
  const workspaceDir = join(setup.home, "workspace");
  const sessionFile = (id: string): string => join(dirname(agentDir), "sessions", `${id}.jsonl`);
  await mkdir(join(dirname(agentDir), "sessions"), { recursive: true });
  await writeFile(configPath, JSON.stringify(base));
  const { runEmbeddedPiAgent } = (await import(pathToFileURL(runner).href)) as EmbeddedRunner;
  const makeConfig = sessionConfigs(dist, base, setup);
  return {
    async store(session) {
      if (session.transcript !== "") await writeFile(sessionFile(session.id), session.transcript);
    },
    async send(session, message, timeoutMs, signal) {
      const { choice, config } = makeConfig(session);
      const result = await runEmbeddedPiAgent({
        sessionId: session.id,
        sessionKey: session.key,
        sessionFile: sessionFile(session.id),
        workspaceDir,
        agentDir,
        config,
        prompt: message,
        provider: choice.provider,
        model: choice.model,
        thinkLevel: "off",
        skillsSnapshot: { prompt: "", skills: [], resolvedSkills: [] },
        timeoutMs,
        abortSignal: signal,
        runId: `${session.id}-${performance.now()}`,
        // A lane of its own, as a gateway has several.
        lane: session.key,
        onAgentEvent: told,
      });
      return {
        payloads: result.payloads ?? [],
        error: result.meta?.error?.message ?? (result.meta?.aborted ? "aborted" : undefined),
      };
    },
    async read({ id }) {
      return existsSync(sessionFile(id)) ? parseLines(await readFile(sessionFile(id), "utf8")).filter(isEntry) : [];
    },
  };
}
