import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, openSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { hasOpen, isAlive, isProcessId, processStart, readProcessorTime, readProcessStart } from "./processes.ts";

const MODULE = fileURLToPath(new URL("processes.ts", import.meta.url));

it("this process and the one that began it are alive, one that has ended is not", () => {
  const gone = Number(execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }));
  expect([process.pid, process.ppid, gone].map(isAlive)).toEqual([true, true, false]);
});

it("numbers that no process can have are not alive, and are no ids", () => {
  const none = [0, -1, -process.pid, 1.5, 2 ** 40, Number.NaN, Number.POSITIVE_INFINITY];
  expect(none.filter(isAlive)).toEqual([]);
  expect([...none, "12", null].filter(isProcessId)).toEqual([]);
  expect([1, process.pid, 2 ** 31 - 1].filter(isProcessId)).toHaveLength(3);
});

it.runIf(process.getuid?.() === 0)("a process of another user is alive to one that may not signal it", () => {
  const program = `import { isAlive } from ${JSON.stringify(MODULE)}; process.setuid(65534);
    let refused = ""; try { process.kill(${process.pid}, 0); } catch (error) { refused = error.code; }
    console.log(refused, isAlive(${process.pid}));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
  });
  expect(stdout.trim(), stderr).toBe("EPERM true");
});

it("this process began after the one that started it, and before now", () => {
  const child = Number(
    execFileSync(
      process.execPath,
      [
        "--input-type=module",
        "--eval",
        `import { processStart } from ${JSON.stringify(MODULE)}; console.log(processStart());`,
      ],
      { encoding: "utf8" },
    ),
  );
  expect(processStart()).toBeLessThan(child);
  expect(child).toBeLessThan(Date.now());
});

it.runIf(process.platform === "linux")(
  "the start of another process is told to the second, and that of none is not",
  () => {
    expect(Math.abs(readProcessStart(process.pid)! - processStart())).toBeLessThan(2000);
    expect(readProcessStart(process.ppid)).toBeLessThanOrEqual(readProcessStart(process.pid)!);
    expect(readProcessStart(2 ** 22 - 3)).toBeUndefined();
  },
);

it.runIf(process.platform === "linux")(
  "a process that works uses time of a processor, and one that is gone none",
  () => {
    const before = readProcessorTime(process.pid)!;
    while (process.cpuUsage().user / 1000 < before + 50) Math.random();
    expect(readProcessorTime(process.pid)).toBeGreaterThan(before);
    expect(readProcessorTime(2 ** 22 - 3)).toBeUndefined();
  },
);

it.runIf(process.platform === "linux")(
  "a file is open in a process until it is closed, and unknown is not closed",
  () => {
    const file = join(realpathSync(newFolder()), "file");
    writeFileSync(file, "");
    const handle = openSync(file, "r");
    expect(hasOpen(process.pid, file)).toBe(true);
    closeSync(handle);
    expect(hasOpen(process.pid, file)).toBe(false);
    expect(hasOpen(2 ** 22 - 3, file)).toBeUndefined();
  },
);
