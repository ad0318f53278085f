/** Calls of an agent that works with files, and what becomes of a move where there is no git. */
import { expect } from "vitest";
import { startLive, type Live } from "../../harness/openclaw/live.ts";
import { carryovers, PLACE, threeTurns, TOOLS } from "../../harness/openclaw/travelling.ts";
import { patience } from "../../harness/patience.ts";
import type { ToolCallSpec } from "../../harness/providers/index.ts";
import { newFolder } from "../../harness/temporary.ts";

/** The plugin's configuration where files come along with moves. */
export const FILES = { timeTravel: { enabled: true, files: true } };
/** A call of a tool. */
export const call = (name: string, args: object): ToolCallSpec => ({
  name,
  arguments: args as ToolCallSpec["arguments"],
});
export const write = (path: string, content: string): ToolCallSpec => call("write", { path, content });
export const exec = (command: string): ToolCallSpec => call("exec", { command });
export const back = (target: string, more: object = { files: "restore" }): ToolCallSpec =>
  call("tobe", { target, carryover_message: "take the other way", ...more });

/** A patched OpenClaw that finds programs on this path only. */
export const startWithPath = (release: string, path: string, log?: (line: string) => void): Promise<Live> =>
  startLive(release, "patched", FILES, { turnTimeoutMs: patience(60_000), env: { PATH: path }, ...(log && { log }) });

/** A release that finds no git: it goes on, the agent is told, and moves go on without files. */
export async function withoutGit(release: string): Promise<void> {
  const lines: string[] = [];
  const { provider, openclaw, close } = await startWithPath(release, newFolder(), (line) => void lines.push(line));
  try {
    const run = await openclaw.run(threeTurns("anthropic-messages", { tools: [...TOOLS, "write"] }));
    const turn = async (...batches: ToolCallSpec[][]): Promise<void> => {
      provider.reset();
      provider.script(...batches.map((calls) => ({ kind: "tool" as const, calls })), { kind: "text", text: "done" });
      expect(await run.send("go on")).toMatchObject({ answered: true, text: expect.stringMatching(/^done(?:$|\n)/) });
    };
    await turn([write("created.txt", "new\n")], [write("other.txt", "other\n")]);
    await turn([back(PLACE.thirdAnswer)]);
    expect(provider.requests.at(-1)!.raw).toMatch(/expected the program git|whose files are captured/);
    await turn([back(PLACE.thirdAnswer, {})]);
    expect((await carryovers(run)).length).toBe(1);
    expect(lines.filter((line) => line.includes("expected the program git"))).toHaveLength(1);
  } finally {
    await close();
  }
}
