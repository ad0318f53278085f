import { spawnSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { Continuity, openSqliteStore, type Project } from "../../../src/continuity/index.ts";
import { newFolder } from "../../../harness/temporary.ts";
import type { CopyCommand } from "./copy-process.ts";

const PROCESS = fileURLToPath(new URL("copy-process.ts", import.meta.url));

function paidByProcess(file: string, dieAt?: string): void {
  const command: CopyCommand = { do: "pay", options: { file }, ...(dieAt !== undefined && { dieAt }) };
  const { signal, stderr } = spawnSync(process.execPath, ["--no-warnings", PROCESS, JSON.stringify(command)]);
  expect([signal, stderr.toString()]).toEqual(["SIGKILL", ""]);
}

async function opened<Value>(file: string, work: (project: Project) => Promise<Value>): Promise<Value> {
  const continuity = new Continuity({ store: openSqliteStore({ file }) });
  try {
    return await work(await continuity.project("shop"));
  } finally {
    await continuity.close();
  }
}

it("a process that is killed as soon as a step is done has noted the step: an older copy is refused", async () => {
  const file = join(newFolder(), "work.sqlite");
  await opened(file, (project) => project.createGoal({ text: "sell" }));
  copyFileSync(file, `${file}.copy`);
  paidByProcess(file);
  for (const end of ["-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
  copyFileSync(`${file}.copy`, file);
  await expect(opened(file, (project) => project.createGoal({ text: "g" }))).rejects.toMatchObject({
    code: "older-copy",
    message: expect.stringContaining("without the last 3 events"),
  });
});

it("a process that is killed between a commit and its anchor leaves an anchor that is behind, which stops nobody", async () => {
  const file = join(newFolder(), "work.sqlite");
  paidByProcess(file, "commit:committed");
  const { damages, completed_steps } = await opened(file, async (project) => {
    await project.createGoal({ text: "g" });
    return project.verify();
  });
  expect([damages, completed_steps]).toEqual([[], 1]);
});
