import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { endLeftovers } from "./leftover.ts";
import { newFolder } from "./temporary.ts";

test.runIf(process.platform === "linux")("a process that a test forgot is ended and named; others go on", async () => {
  const mark = newFolder();
  const script = ["-e", "console.log('up'); setInterval(() => {}, 1000)"];
  const start = (folder: string) => {
    const env = { ...process.env, TMPDIR: folder };
    return spawn(process.execPath, script, { env, stdio: ["ignore", "pipe", "ignore"] });
  };
  const forgotten = start(mark);
  const other = start(`${mark}-other`);
  try {
    await Promise.all([forgotten, other].map((child) => once(child.stdout, "data")));
    const closed = once(forgotten, "close");
    expect(endLeftovers(mark)).toEqual([]); // this process's own children are its own matter
    expect(endLeftovers(mark, 1)).toEqual([expect.stringContaining("setInterval")]);
    await closed;
    expect(other.exitCode ?? other.signalCode).toBeNull();
    expect(endLeftovers(mark, 1)).toEqual([]);
  } finally {
    for (const child of [forgotten, other]) child.kill("SIGKILL");
  }
});
