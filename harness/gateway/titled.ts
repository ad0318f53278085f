import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** Starts a process under the name that OpenClaw gives to its gateway, or under another one; it ends with the test at the latest. */
export async function startTitled(env: NodeJS.ProcessEnv, title = "openclaw-gateway"): Promise<ChildProcess> {
  const code = `process.title = '${title}'; console.log('up'); setInterval(() => {}, 1000)`;
  const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "ignore"], env });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}
