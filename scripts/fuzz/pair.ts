import { dirname, join } from "node:path";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import type { Release } from "../../src/patching/base/releases.ts";
import { startOpenClaw, type OpenClawDriver } from "../../harness/openclaw/index.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import type { HealthySession } from "./sessions.ts";

/** A running OpenClaw with a provider of its own. */
export interface Side {
  driver: OpenClawDriver;
  provider: StrictProvider;
  root: string;
}

/** Two OpenClaws of one release side by side. */
export interface Pair {
  release: Release;
  left: Side;
  right: Side;
  close(): Promise<void>;
}

async function startSide(release: Release, openclaw: string): Promise<Side> {
  const root = join(openclaw, "..", "..");
  const provider = await startProvider();
  try {
    return {
      driver: await startOpenClaw({ root, release, providerUrl: provider.url, turnTimeoutMs: 60_000 }),
      provider,
      root,
    };
  } catch (error) {
    await provider.close();
    throw error;
  }
}

async function stopSide({ driver, provider }: Side): Promise<void> {
  await driver.close();
  await provider.close();
}

/**
 * Starts the unpatched OpenClaw, and beside it the patched one or, to see what differs all the same, another unpatched
 * one.
 */
export async function startPair(release: Release, beside: "patched" | "stock"): Promise<Pair> {
  const installed = await ensurePatched(release);
  const left = await startSide(release, installed.stock);
  try {
    const right = await startSide(release, installed[beside]);
    return { release, left, right, close: async () => void (await Promise.all([stopSide(left), stopSide(right)])) };
  } catch (error) {
    await stopSide(left);
    throw error;
  }
}

/** The messages that every session gets. */
const MESSAGES = ["hello there", "and again"];

/** A message to a session got no answer. */
export class Unanswered extends Error {}

/** The bodies that a side sends for a session, with what differs between any two runs of one OpenClaw taken out. */
export async function recordBodies({ driver, provider, root }: Side, session: HealthySession): Promise<string[]> {
  provider.reset();
  const { transcript, api, thinking } = session;
  const run = await driver.run({ transcript, api, thinking, messages: MESSAGES });
  const unanswered = run.turns.find(({ answered }) => !answered);
  const error = run.error ?? unanswered?.error;
  if (error !== undefined) throw new Unanswered(`${driver.release}, session ${session.name}, ${api}: ${error}`);
  const own: [string, string][] = [
    [dirname(driver.stateDir), "<home>"],
    [root, "<installation>"],
    [run.sessionId, "<session>"],
    [run.sessionKey, "<key>"],
  ];
  return provider.requests.map(({ raw }) => normalise(raw, own));
}

/** The prompt tells the time of a message to the minute. */
const CLOCK = /\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d UTC\]/g;

function normalise(raw: string, own: readonly [string, string][]): string {
  return own.reduce((text, [value, name]) => text.replaceAll(value, name), raw).replaceAll(CLOCK, "[<clock>]");
}
