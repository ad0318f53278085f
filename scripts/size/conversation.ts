import { readdirSync, readFileSync } from "node:fs";
import { startOpenClaw, toTranscript, type ModelApi } from "../../harness/openclaw/index.ts";
import { startLimited, type Summariser } from "./limited-provider.ts";
import { installRoot } from "./release.ts";

export type Variant = "stock" | "patched";

/** How many tokens the provider takes, and the model declares. */
const LIMIT = 32_000;

/** How many tokens each turn adds, of four characters. */
const TURN_TOKENS = 20_000;

const TURN_MS = 300_000;

/** One turn of a conversation that grows. */
export interface Turn {
  readonly isAnswered: boolean;
  readonly requests: number;
  readonly summaries: number;
  /** Requests that the provider refused, for a summary or not. */
  readonly refused: number;
  /** Memory of OpenClaw's process behind the turn, in megabytes. */
  readonly megabytes: number;
  readonly ms: number;
}

/** What became of a conversation. */
export interface Grown {
  readonly release: string;
  readonly variant: Variant;
  readonly api: ModelApi;
  readonly summariser: Summariser;
  readonly turns: readonly Turn[];
  /** What the person got for the first message that was not answered. */
  readonly firstFailure: string | undefined;
}

/** What {@link grow} has to know. */
export interface GrowOptions {
  readonly release: string;
  readonly variant?: Variant;
  readonly api?: ModelApi;
  readonly summariser: Summariser;
  readonly turns: number;
  readonly say?: (line: string) => void;
}

/** Sends message after message to an OpenClaw, each of 20,000 tokens, to a model that takes 32,000. */
export async function grow({
  release,
  variant = "patched",
  api = "anthropic-messages",
  summariser,
  turns,
  say = () => undefined,
}: GrowOptions): Promise<Grown> {
  const root = await installRoot(release, variant);
  const provider = await startLimited({ tokens: LIMIT, summariser });
  const openclaw = await startOpenClaw({
    root,
    release,
    providerUrl: provider.url,
    turnTimeoutMs: TURN_MS,
  });
  const grown: Turn[] = [];
  let firstFailure: string | undefined;
  try {
    const run = await openclaw.run({
      transcript: toTranscript([], { seed: "growing" }),
      api,
      contextWindow: LIMIT,
      messages: [],
    });
    if (run.error !== undefined) throw new Error(run.error);
    for (let nth = 0; nth < turns; nth++) {
      const { answered, text, error, ms } = await run.send(question(nth));
      if (!answered) firstFailure ??= `turn ${nth + 1}: ${text || String(error)}`.slice(0, 300);
      const asked = provider.takeAsked();
      const broken = asked.find((one) => one.broken !== undefined)?.broken;
      if (broken !== undefined) firstFailure ??= `turn ${nth + 1}: ${broken}`.slice(0, 300);
      grown.push({
        isAnswered: answered,
        requests: asked.filter(({ isSummary }) => !isSummary).length,
        summaries: asked.filter(({ isSummary }) => isSummary).length,
        refused: asked.filter(({ status }) => status !== 200).length,
        megabytes: childMegabytes(),
        ms,
      });
      say(`${nth + 1}: ${JSON.stringify(grown.at(-1))}`);
    }
  } finally {
    await openclaw.close();
    await provider.close();
  }
  return { release, variant, api, summariser, turns: grown, firstFailure };
}

function question(nth: number): string {
  const words = `heron ${nth} reads an old book about rivers `;
  return `Question ${nth}: ${words.repeat(Math.ceil((TURN_TOKENS * 4) / words.length))}`;
}

/** The memory of the largest process that this one has started: OpenClaw's. */
function childMegabytes(): number {
  let most = 0;
  for (const thread of readdirSync("/proc/self/task"))
    for (const child of readFileSync(`/proc/self/task/${thread}/children`, "utf8").split(" ").filter(Boolean)) {
      const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readStatus(child))?.[1];
      most = Math.max(most, Number(kilobytes ?? 0) / 1024);
    }
  return Math.round(most);
}

function readStatus(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}
