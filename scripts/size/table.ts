import { startOpenClaw, toTranscript, type ModelApi, type OpenClawDriver } from "../../harness/openclaw/index.ts";
import { chooseModel } from "../../harness/openclaw/models.ts";
import { readOrigin } from "../../src/transcript/origin.ts";
import { startLimited, type LimitedProvider, type Limits } from "./limited-provider.ts";
import { installRoot } from "./release.ts";
import { Session, type Row } from "./rows.ts";

const TURN_MS = 900_000;

/** What became of a session that is too large. */
export interface Outcome {
  readonly release: string;
  readonly variant: "stock" | "patched";
  readonly api: ModelApi;
  readonly row: string;
  /** Of each message whether it was answered. */
  readonly answered: readonly boolean[];
  readonly requests: number;
  readonly summaries: number;
  /** Requests that the provider refused, for a summary or not. */
  readonly refused: number;
  /** Marks of all texts that were stored or sent, and those that the store holds afterwards. */
  readonly marks: number;
  readonly found: number;
  /** Extracts that the guard has stored: in place of a summary, or below what was written of one. */
  readonly extracts: number;
  /** What the person got for the first message that was not answered, and rules of the API that a request broke. */
  readonly failures: readonly string[];
  readonly seconds: number;
}

/** An OpenClaw and a provider, to which the sessions of rows are sent one after the other. */
export interface Table {
  /** The APIs that the release can talk as it is installed: 2026.9.6 comes without Bedrock's. */
  readonly apis: readonly ModelApi[];
  /** Stores the session of a row, and sends three messages to it. */
  play(row: Row, api: ModelApi): Promise<Outcome>;
  close(): Promise<void>;
}

/** Starts them. */
export async function startTable(release: string, variant: Outcome["variant"]): Promise<Table> {
  const root = await installRoot(release, variant);
  const provider = await startLimited({ tokens: 0, summariser: "fails" });
  const openclaw = await startOpenClaw({
    root,
    release,
    providerUrl: provider.url,
    turnTimeoutMs: TURN_MS,
  });
  let played = 0;
  return {
    apis: openclaw.apis,
    play: async (row, api) => {
      // What is learned of one route is not known of another.
      const model = `${chooseModel({ api }, provider.url).model}-r${++played}`;
      return { release, variant, ...(await playRow(row, { api, model, openclaw, provider })) };
    },
    close: async () => {
      await openclaw.close();
      await provider.close();
    },
  };
}

interface Played {
  readonly api: ModelApi;
  readonly model: string;
  readonly openclaw: OpenClawDriver;
  readonly provider: LimitedProvider;
}

async function playRow(
  row: Row,
  { api, model, openclaw, provider }: Played,
): Promise<Omit<Outcome, "release" | "variant">> {
  const began = performance.now();
  const { contextWindow = 200_000 } = row;
  const limits: Limits = { tokens: contextWindow, summariser: "works", ...row.limits };
  const session = new Session(api, limits.perToken ?? 4);
  row.write(session);
  const transcript = toTranscript(session.messages, { seed: row.name });
  const messages = [row.asks ?? 100, 100, 100].map((length) => session.text(length));
  provider.limit(limits);
  provider.takeAsked();
  const run = await openclaw.run({ transcript, api, model, contextWindow, messages });
  if (run.error !== undefined) throw new Error(run.error);
  const asked = provider.takeAsked();
  const failed = run.turns.findIndex(({ answered }) => !answered);
  const { text = "", error = text } = run.turns[failed] ?? {};
  const broken = new Set(asked.flatMap((one) => one.broken ?? []));
  const entries = await run.readTranscript();
  const stored = JSON.stringify(entries);
  return {
    api,
    row: row.name,
    answered: run.turns.map(({ answered }) => answered),
    requests: asked.length,
    summaries: asked.filter(({ isSummary }) => isSummary).length,
    refused: asked.filter(({ status }) => status !== 200).length,
    marks: session.marks.length,
    found: session.marks.filter((mark) => stored.includes(mark)).length,
    extracts: entries.filter(({ details }) => readOrigin(details).extract === true).length,
    failures: [...(failed < 0 ? [] : [`message ${failed + 1}: ${error}`]), ...broken],
    seconds: Math.round((performance.now() - began) / 1000),
  };
}
