import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { journalFile } from "../../src/journal/index.ts";
import { startOpenClaw, toTranscript, WORKSPACE_NOTE } from "../../harness/openclaw/index.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { HEALTHY } from "../../harness/openclaw/samples.ts";
import { startProvider, type Step } from "../../harness/providers/index.ts";

/** What a person and an operator saw of turns whose journal was in trouble. */
export interface TroubledTurns {
  /** For each message whether it was answered; the error where not. */
  answers: (true | string)[];
  /** Whether the tool's result reached the model each time. */
  results: boolean[];
  /** The guard's lines about its journal. */
  lines: string[];
}

/** When something is done to the journal. */
export interface Trouble {
  /** Before OpenClaw has used it. */
  before?: (file: string) => void | Promise<void>;
  /** After the first turn, with the journal open. */
  between?: (file: string) => void | Promise<void>;
  /** Where the journal really lies, if not in OpenClaw's state folder. */
  target?: string;
  /** More environment for OpenClaw's process. */
  env?: Record<string, string>;
}

/** Two turns, each with a call of a tool, in a patched OpenClaw whose journal is in trouble. */
export async function troubledTurns(
  release: string,
  { before, between, target, env = {} }: Trouble,
): Promise<TroubledTurns> {
  const provider = await startProvider();
  const lines: string[] = [];
  const openclaw = await startOpenClaw({
    root: join(releasesFolder(), release, "patched"),
    release,
    providerUrl: provider.url,
    turnTimeoutMs: 90_000,
    env,
    log: (line) => void (/integrity\].*journal/.test(line) && lines.push(line)),
  });
  try {
    const file = journalFile(openclaw.stateDir);
    if (target !== undefined) symlinkSync(target, file);
    await before?.(file);
    const call: Step = { kind: "tool", calls: [{ name: "read", arguments: { path: WORKSPACE_NOTE.path } }] };
    provider.script(call);
    const run = await openclaw.run({
      transcript: toTranscript(HEALTHY),
      api: "anthropic-messages",
      messages: ["read the note"],
    });
    const sent = (): boolean => provider.requests.at(-1)?.raw.includes(WORKSPACE_NOTE.text) === true;
    const results = [sent()];
    await between?.(file);
    provider.script(call);
    const second = await run.send("and again");
    results.push(sent());
    return {
      answers: [run.turns[0] ?? { answered: false, error: run.error ?? "no turn" }, second].map(
        (turn) => turn.answered || (turn.error ?? "no answer"),
      ),
      results,
      lines,
    };
  } finally {
    await openclaw.close();
    await provider.close();
  }
}
