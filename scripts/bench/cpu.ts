import { readFileSync, readdirSync } from "node:fs";

/** The child processes of a process, oldest first; Linux only. */
export function listChildren(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const children = tasks.flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" "),
  );
  return children
    .filter((child) => child !== "")
    .map(Number)
    .toSorted((a, b) => a - b);
}

/** CPU time of a process with all its threads, user and system, in ms; finer than the 10 ms of /proc/PID/stat. */
export function readCpuTime(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.reduce((sum, task) => sum + readRuntime(`/proc/${pid}/task/${task}/sched`), 0);
}

/** A thread that ended between two looks took its time with it; OpenClaw's are those of Node's pool, which stay. */
function readRuntime(file: string): number {
  const found = /^se\.sum_exec_runtime\s*:\s*([\d.]+)/m.exec(readFileSync(file, "utf8"))?.[1];
  if (found === undefined) throw new Error(`${file} does not tell the time a thread ran`);
  return Number(found);
}

/** CPU time of a process and of threads of it that have ended, in ms, to 10 ms. */
export function cpuWithEndedThreads(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
