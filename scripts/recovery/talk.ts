import { join } from "node:path";
import { openGateway } from "../../harness/gateway/index.ts";
import { replyText } from "../../harness/gateway/reply.ts";
import { isObject } from "../../harness/providers/index.ts";
import { startOpenClaw, type ModelApi } from "../../harness/openclaw/index.ts";

/** In which of the two ways OpenClaw is talked to. */
export type Mode = "embedded" | "gateway";

/** What a person got to see for one message; no text is a turn that ended in silence. */
export interface Shown {
  text: string;
  ms: number;
}

/** One conversation. */
export interface Conversation {
  /** Sends a message and waits until OpenClaw is done with it. */
  send(text: string): Promise<Shown>;
}

/** An OpenClaw that runs, in either mode. */
export interface Talk {
  readonly mode: Mode;
  readonly stateDir: string;
  readonly workspaceDir: string;
  /** The APIs that it can talk. */
  readonly apis: readonly ModelApi[];
  /** A conversation of its own that begins with a stored history. */
  begin(api: ModelApi, transcript: string): Promise<Conversation>;
  /** kill -9, in the middle of a turn. */
  kill(): Promise<void>;
  /** Brings it back on the same state. */
  revive(): Promise<void>;
  close(): Promise<void>;
}

/** Where an installation lies, and whom it asks. */
export interface Installed {
  release: string;
  root: string;
  providerUrl: string;
}

const TOOLS = ["read", "exec"];
const TURN_TIMEOUT_MS = 240_000;

/** OpenClaw's agent in-process, as the command line and cron jobs run it. */
export async function openEmbedded({ release, root, providerUrl }: Installed): Promise<Talk> {
  const driver = await startOpenClaw({ release, root, providerUrl, turnTimeoutMs: TURN_TIMEOUT_MS });
  return {
    mode: "embedded",
    stateDir: driver.stateDir,
    workspaceDir: join(driver.stateDir, "..", "workspace"),
    apis: driver.apis,
    async begin(api, transcript) {
      const run = await driver.run({ transcript, api, tools: TOOLS, messages: [] });
      if (run.error !== undefined)
        throw new Error(`expected OpenClaw ${release} to store a session; found: ${run.error}`);
      return {
        async send(text) {
          const { text: shown, error = "", ms } = await run.send(text);
          return { text: shown || error, ms };
        },
      };
    },
    async kill() {
      driver.kill();
    },
    // The next message starts it.
    async revive() {},
    close: () => driver.close(),
  };
}

const SEEDED = "agent:main:seeded";

/**
 * A gateway and a client. Sessions are stored before a gateway starts, so that it is told all histories that will be
 * begun with.
 */
export async function openGatewayTalk(
  { release, root, providerUrl }: Installed,
  transcripts: readonly string[],
): Promise<Talk> {
  const gateway = await openGateway({ release, root, providerUrl, tools: TOOLS });
  try {
    await gateway.seedAll(transcripts.map((transcript, at) => [`${SEEDED}-${at}`, transcript]));
    await gateway.start();
  } catch (error) {
    await gateway.close();
    throw error;
  }
  return {
    mode: "gateway",
    stateDir: gateway.stateDir,
    workspaceDir: gateway.workspaceDir,
    apis: ["anthropic-messages"],
    async begin(_api, transcript) {
      const at = transcripts.indexOf(transcript);
      if (at === -1)
        throw new Error(`expected one of the ${transcripts.length} histories that were stored; found another one`);
      const key = `${SEEDED}-${at}`;
      return {
        async send(text) {
          const { finalText, error, agentTexts, ms } = await gateway.send(key, text, { timeoutMs: TURN_TIMEOUT_MS });
          const seen = [finalText, error].filter(Boolean).join("\n");
          if (seen) return { text: seen, ms };
          // What came behind the closing event is there when the client loads the session again; or it was only told.
          const last = agentTexts.length > 0 ? (await gateway.history(key)).at(-1) : undefined;
          const stored = isObject(last) && last["role"] === "assistant" ? replyText(last) : "";
          return { text: stored || (agentTexts.at(-1) ?? ""), ms };
        },
      };
    },
    kill: () => gateway.kill(),
    revive: () => gateway.start(),
    close: () => gateway.close(),
  };
}
