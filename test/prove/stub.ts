/** Packages that say they are OpenClaw, to see what becomes of the processes and folders of a proof. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../../harness/temporary.ts";

/** Starts a process of its own, writes down who and where it is, and does nothing more. */
export const HANGS = `
const { spawn } = await import("node:child_process");
const { writeFileSync, renameSync } = await import("node:fs");
const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
process.on("SIGTERM", () => {});
const seen = { pids: [process.ppid, process.pid, child.pid], home: process.env.HOME, env: process.env };
writeFileSync(new URL("./seen.part", import.meta.url), JSON.stringify(seen));
renameSync(new URL("./seen.part", import.meta.url), new URL("./seen.json", import.meta.url));
setInterval(() => {}, 1000);
`;

/** What {@link HANGS} has written down. The first process is the keeper, the last one was started by OpenClaw. */
export interface Seen {
  readonly pids: readonly [keeper: number, openclaw: number, child: number];
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A package whose start file has this code. */
export function stubOpenClaw(code: string, manifest: Readonly<Record<string, unknown>> = {}): string {
  const root = join(newFolder(), "openclaw");
  mkdirSync(root);
  const base = { name: "openclaw", version: "2026.9.99", type: "module", bin: { openclaw: "openclaw.mjs" } };
  writeFileSync(join(root, "package.json"), JSON.stringify({ ...base, ...manifest }));
  writeFileSync(join(root, "openclaw.mjs"), code);
  return root;
}

/** What the stub in `root` has written down; undefined until it has. */
export function seenBy(root: string): Seen | undefined {
  const file = join(root, "seen.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Seen) : undefined;
}
