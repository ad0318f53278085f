import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { INTERRUPTED_CALL, NOT_STARTED_CALL, UNKNOWN_OUTCOME } from "../../src/transcript/json/text.ts";
import { installPinned } from "../pinned.ts";

const FRAMEWORKS = ["AI SDK", "LangChain", "@openai/agents", "pi-agent-core"];
const SAVES = ["each", "end"];
const LIBRARY = join(import.meta.dirname, "../../dist");
/** Milliseconds of the tool before it has paid, and behind that. */
const TOOL = { BEFORE: "40", BEHIND: "60" };
const EUROS = [5, 6];

/** What became of the calls of one framework's killed agents. */
export interface KillCount {
  readonly framework: string;
  readonly saves: string;
  readonly isDurable: boolean;
  kills: number;
  /** Kills behind which the next message was refused or ended in an error. */
  refused: number;
  /** Payments that were made, of which the next request says nothing. */
  silent: number;
  /** Calls of which the next request says something that is not so. */
  wrong: number;
  /** Payments that the agent makes again without being asked by the model. */
  doubled: number;
  /** Payments that the next request reports as made, and those that it reports as uncertain. */
  made: number;
  uncertain: number;
}

export const KILL_COLUMNS = "framework,saves at,with,kills,refused,silent,wrong,doubled,made,uncertain".split(",");

export function toKillRow({ framework, saves, isDurable, ...counts }: KillCount): string[] {
  const { kills, refused, silent, wrong, doubled, made, uncertain } = counts;
  const numbers = [kills, refused, silent, wrong, doubled, made, uncertain].map(String);
  return [framework, saves, isDurable ? "durableTool" : "–", ...numbers];
}

/** Kills the agents of each framework while their tools run; undefined where the frameworks cannot be had. */
export async function countKills(kills: number, say: (count: KillCount) => void): Promise<KillCount[] | undefined> {
  const folder = await installPinned("frameworks", import.meta.dirname);
  if (folder === undefined) return undefined;
  const agent = join(folder, "killed-agent.mjs");
  copyFileSync(join(import.meta.dirname, "killed-agent.mjs"), agent);
  const provider = await startProvider();
  const counts: KillCount[] = [];
  try {
    for (const framework of FRAMEWORKS)
      for (const saves of SAVES)
        for (const isDurable of [false, true]) {
          const none = { kills: 0, refused: 0, silent: 0, wrong: 0, doubled: 0, made: 0, uncertain: 0 };
          const count: KillCount = { framework, saves, isDurable, ...none };
          for (; count.kills < kills / SAVES.length; count.kills++) await killOnce(agent, provider, count);
          counts.push(count);
          say(count);
        }
  } finally {
    await provider.close();
  }
  return counts;
}

async function killOnce(agent: string, provider: StrictProvider, count: KillCount): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "killed-"));
  const { framework, saves, isDurable, kills } = count;
  const args = [agent, framework, provider.url, folder, saves, isDurable ? LIBRARY : "-"];
  const ledger = (): string => (existsSync(join(folder, "ledger")) ? readFileSync(join(folder, "ledger"), "utf8") : "");
  try {
    provider.reset();
    provider.script({ kind: "tool", calls: EUROS.map((euros) => ({ name: "pay", arguments: { euros } })) });
    // Before it pays; between that and its return; behind its return.
    const [isPaying, afterMs] = [
      [false, (kills * 7) % 80],
      [true, (kills * 7) % 50],
      [true, 60 + ((kills * 13) % 100)],
    ][kills % 3] as [boolean, number];
    const until = isPaying ? () => ledger() !== "" : () => provider.requests.length > 0;
    await run([...args, "Pay 5 and 6 euros."], { until, afterMs });
    const paid = ledger();
    provider.reset();
    provider.script({ kind: "text", text: "I see." });
    const isAnswered = await run([...args, "Did you pay?"]);
    if (!isAnswered || provider.requests.some(({ status }) => status !== 200)) count.refused++;
    const sent = provider.requests.at(-1)?.raw ?? "";
    for (const euros of EUROS) judge(count, sent, { euros, isPaid: paid.includes(`paid ${euros}`) });
    count.doubled += ledger().split("\n").length - paid.split("\n").length;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function judge(count: KillCount, sent: string, { euros, isPaid }: { euros: number; isPaid: boolean }): void {
  const isMade = sent.includes(`paid ${euros}`);
  const isUncertain = sent.includes(INTERRUPTED_CALL) || sent.includes(UNKNOWN_OUTCOME);
  const isDenied = sent.includes(NOT_STARTED_CALL) || /cancel|abort|no result provided|was interrupted by/i.test(sent);
  if (isMade !== isPaid && (isMade || (isDenied && !isUncertain))) count.wrong++;
  else if (isPaid && !isMade && !isUncertain) count.silent++;
  else if (isPaid) count[isMade ? "made" : "uncertain"]++;
}

/** Runs the agent to its end, or kills it some milliseconds after something is so; true where it ends without an error. */
async function run(args: readonly string[], kill?: { until: () => boolean; afterMs: number }): Promise<boolean> {
  const child = spawn(process.execPath, ["--no-warnings", ...args], {
    stdio: "ignore",
    env: { ...process.env, ...(kill && TOOL) },
  });
  const ended = once(child, "exit") as Promise<[number | null]>;
  if (kill) {
    while (!kill.until() && child.exitCode === null) await sleep(2);
    await sleep(kill.afterMs);
    child.kill("SIGKILL");
  }
  return (await ended)[0] === 0;
}
