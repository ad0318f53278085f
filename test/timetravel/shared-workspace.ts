/** An agent that works with files, may travel, and takes them along. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import type { RunResult } from "../../harness/openclaw/index.ts";
import { startLive, type Live } from "../../harness/openclaw/live.ts";
import { threeTurns, TOOLS } from "../../harness/openclaw/travelling.ts";
import type { ToolCallSpec } from "../../harness/providers/index.ts";
import { FILES } from "./without-git.ts";

/** A patched OpenClaw and the folder in which its agents work. */
export interface SharedWorkspace {
  readonly live: Live;
  readonly release: string;
  /** The folder; in tests only. */
  folder(): string;
  at(path: string): string;
  read(path: string): string | undefined;
  start(): Promise<RunResult>;
  /** One turn in which the agent makes these batches of calls, one after the other. */
  turn(run: RunResult, ...batches: ToolCallSpec[][]): Promise<void>;
  lastRequest(): string;
}

/** One such OpenClaw for all tests around the call; before each of them the folder holds the file standing.txt alone. */
export function shareWorkspace(release: string): SharedWorkspace {
  const live = {} as Live;
  const folder = (): string => join(dirname(live.openclaw.stateDir), "workspace");
  const at = (path: string): string => join(folder(), path);
  beforeAll(async () => void Object.assign(live, await startLive(release, "patched", FILES)));
  afterAll(() => live.close());
  beforeEach(() => {
    live.provider.reset();
    mkdirSync(folder(), { recursive: true });
    for (const name of readdirSync(folder())) rmSync(at(name), { recursive: true });
    writeFileSync(at("standing.txt"), "stands\n");
  });
  return {
    live,
    release,
    folder,
    at,
    read: (path) => (existsSync(at(path)) ? readFileSync(at(path), "utf8") : undefined),
    start: () => live.openclaw.run(threeTurns("anthropic-messages", { tools: [...TOOLS, "write", "edit"] })),
    turn: async (run, ...batches) => {
      const steps = batches.map((calls) => ({ kind: "tool" as const, calls }));
      live.provider.reset();
      live.provider.script(...steps, { kind: "text", text: "done" });
      expect(await run.send("go on")).toMatchObject({ answered: true, text: expect.stringMatching(/^done(?:$|\n)/) });
    },
    lastRequest: () => live.provider.requests.at(-1)!.raw,
  };
}
