/** The commands that read, as a user runs them, on a hostile state directory. */
import { spawnSync } from "node:child_process";
import { MAIN } from "../../../harness/command.ts";
import { CodedError } from "../../../src/base/coded-error.ts";
import { examine, isSound } from "../../../src/health/index.ts";
import { openCatalog } from "../../../src/store/index.ts";
import type { StoreName } from "./stores.ts";

const OF_SESSIONS: readonly (readonly string[])[] = [
  ["sessions", "scan", "--all"],
  ["sessions", "list"],
  ["sessions", "show", "hostile"],
  ["sessions", "show", "hostile", "--content"],
  ["sessions", "doctor", "--content"],
  ["sessions", "repair", "--all", "--dry-run"],
  ["timeline", "show", "hostile"],
  ["timeline", "graph", "hostile"],
  ["timeline", "log", "hostile"],
];
const COMMANDS: Readonly<Record<StoreName | "file", readonly (readonly string[])[]>> = {
  file: OF_SESSIONS,
  agent: OF_SESSIONS,
  journal: [
    ["checkpoints", "list"],
    ["sessions", "doctor"],
    ["checkpoints", "list", "--session", "session-1"],
  ],
  continuity: [
    ["continuity", "status", "--project", "a project"],
    ["continuity", "next", "--project", "a project"],
    ["continuity", "history", "--project", "a project"],
    ["continuity", "verify", "--project", "a project"],
  ],
};

/** What is wrong with how the command of this turn ends; undefined when nothing is. */
export function faultOfCommand(stateDir: string, turn: number, store: StoreName | "file"): string | undefined {
  const all = COMMANDS[store];
  const chosen = all[turn % all.length]!;
  const args = turn % 3 === 0 ? [...chosen, "--json"] : chosen;
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    encoding: "utf8",
    timeout: 60_000,
    maxBuffer: 2 ** 28,
    env: { PATH: process.env.PATH, HOME: stateDir, OPENCLAW_STATE_DIR: stateDir },
  });
  const said = `${args.join(" ")} ended with ${status ?? signal}: ${stderr.slice(0, 500)}`;
  if (status === null || ![0, 1, 3].includes(status)) return `exit: ${said}`;
  if (/bug in openclaw-integrity|^\s+at .*:\d+:\d+/m.test(stderr)) return `thrown: command: ${said}`;
  if (status !== 1 && args.includes("--json")) JSON.parse(stdout);
  if (store === "file" && args[1] === "scan" && status !== expectedOfScan(stateDir))
    return `exit: ${said}, although ${expectedOfScan(stateDir) === 0 ? "there is no fault" : "there are faults"}`;
  return undefined;
}

function expectedOfScan(stateDir: string): number {
  const catalog = openCatalog(stateDir);
  try {
    return catalog.list().sessions.every((session) => isSound(examine(catalog.read(session), session))) ? 0 : 3;
  } catch (error) {
    // A file without a readable line is told as one that could not be read.
    if (error instanceof CodedError) return 3;
    throw error;
  } finally {
    catalog.close();
  }
}
