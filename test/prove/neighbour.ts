/** Proofs beside another user of the machine, who wants to decide them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { asNobody, reachable, reachableNode } from "../../harness/nobody.ts";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import { patience } from "../../harness/patience.ts";
import { newFolder } from "../../harness/temporary.ts";
import type { Release } from "../../src/patching/index.ts";
import { prove, type ProofReport } from "../../src/prove/index.ts";

export type Mode = "fail" | "pass" | "say" | "hold";

const PROGRAM = fileURLToPath(new URL("neighbour-program.ts", import.meta.url));
const SESSIONS = fileURLToPath(new URL("../../src/prove/sessions/sessions.ts", import.meta.url));

/**
 * Proves the OpenClaw in `root` beside that user, and checks that he got nothing, that the report has no byte of his,
 * and that no process and no file of the proof is left.
 */
export async function proveBeside(mode: Mode, root: string): Promise<ProofReport> {
  const [folder, temporary] = [newFolder(), join(newFolder(), "tmp")];
  chmodSync(folder, 0o755);
  chmodSync(join(temporary, ".."), 0o755);
  mkdirSync(temporary);
  chmodSync(temporary, 0o1777);
  const program = join(folder, "neighbour.ts");
  copyFileSync(PROGRAM, program);
  chmodSync(program, 0o644);
  const args = ["--no-warnings", program, mode, temporary, pathToFileURL(reachable(SESSIONS)).href];
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const neighbour = spawn(reachableNode(), args, { ...asNobody, stdio: [...stdio], cwd: "/", env: {} });
  const got: string[] = [];
  neighbour.stdout!.setEncoding("utf8").on("data", (text: string) => got.push(...text.trim().split("\n")));
  try {
    await expect.poll(() => got, { timeout: patience(20_000) }).toContain("ready");
    const report = await prove(root, { env: { ...process.env, TMPDIR: temporary } });
    expect(JSON.stringify(report)).not.toContain("MALLORY");
    expect(got).toEqual(["ready"]);
    expect(readdirSync(temporary)).toEqual([]);
    // Helpers of OpenClaw end when they see that it is gone.
    await expect.poll(() => commandsWith(root, temporary), { timeout: patience(10_000) }).toEqual([]);
    return report;
  } finally {
    neighbour.kill("SIGKILL");
    await once(neighbour, "exit");
  }
}

/** Whether this machine lets a test be another user, and that user look at ports. */
export const canPlay = (): boolean => process.getuid?.() === 0 && existsSync("/proc/net/tcp");

/** The proof of a patched release beside that user. */
export function takesNoPart(release: Release): void {
  test(`takes no part in the proof of OpenClaw ${release}`, async () => {
    const { patched } = await ensurePatched(release);
    expect(await proveBeside("say", patched)).toMatchObject({ verdict: "proven" });
  });
}

/** The command lines, of any process but that user's, that name one of these paths. */
function commandsWith(...paths: readonly string[]): readonly string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return paths.some((path) => line.includes(path)) && !line.includes("neighbour.ts") ? [line] : [];
    } catch {
      return [];
    }
  });
}
