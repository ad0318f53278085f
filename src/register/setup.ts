/** What is known from outside about an OpenClaw that runs patched from memory: processes, services, this shell. */
import { readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { stateDirectory } from "../store/state-directory.ts";
import { hookIn, isGone } from "./node-options.ts";
import { type HookedService, hookedServices } from "./service/service.ts";
import { runningNow, type Running } from "./running.ts";

/** The traces of the hook for one OpenClaw. */
export interface Setup {
  /** Gateways that run now, patched from memory. */
  readonly running: readonly Running[];
  /** Services that start this OpenClaw with the hook. */
  readonly services: readonly HookedService[];
  /** Whether NODE_OPTIONS of this process loads the hook. */
  readonly isInShell: boolean;
}

/** Finds the traces for the OpenClaw in `root`; `places` are its paths before symbolic links were resolved. */
export function findSetup(root: string, places: readonly string[], env: NodeJS.ProcessEnv = process.env): Setup {
  const hook = hookIn(env["NODE_OPTIONS"]);
  return {
    running: runningNow(stateDirectories(env)).filter((one) => one.root === root),
    services: hookedServices(env).filter(({ command }) => startsFrom(command, [root, ...places])),
    isInShell: hook !== undefined && !isGone(hook),
  };
}

/** The state directories of this user: the one in use, and those that OpenClaw has made for profiles beside it. */
function stateDirectories(env: NodeJS.ProcessEnv): readonly string[] {
  const state = stateDirectory(env);
  const home = dirname(state);
  try {
    const profiles = readdirSync(home).filter((name) => /^\.openclaw(?:-|$)/.test(name));
    return [...new Set([state, ...profiles.map((name) => join(home, name))])];
  } catch {
    return [state];
  }
}

/** Whether this OpenClaw runs, or is going to be started, patched from memory. */
export function isRegistered(setup: Setup): boolean {
  return setup.running.length > 0 || startsRegistered(setup);
}

/** Whether this OpenClaw is patched from memory when its service, or this shell, starts it. */
export function startsRegistered({ services, isInShell }: Pick<Setup, "services" | "isInShell">): boolean {
  return isInShell || services.some((service) => !service.isGone);
}

function startsFrom(command: readonly string[], folders: readonly string[]): boolean {
  return command.some((word) => {
    const path = real(word);
    return folders.some((folder) => path.startsWith(`${folder}/`) || word.startsWith(`${folder}/`));
  });
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
