import { realpathSync } from "node:fs";
import type { GatewayAtHand } from "../doctor/index.ts";
import { patchState } from "../patching/index.ts";
import { findSetup, isEnabled } from "../register/index.ts";
import { findGateways, stateDirectory, type RunningGateway } from "../store/index.ts";

/** An OpenClaw that a gateway may run. */
interface Installed {
  readonly root: string;
  /** By its files; undefined where others have changed them. */
  readonly isPatched: boolean | undefined;
}

/**
 * The gateways that run with these sessions, and whether the guard is at work in each; undefined where the system has
 * no list of processes. A gateway does not tell which OpenClaw it runs, so that it is judged by all of `installed`.
 */
export function gatewaysAtHand(
  installed: readonly Installed[],
  found: readonly RunningGateway[] | undefined = findGateways(),
): readonly GatewayAtHand[] | undefined {
  const here = realPath(stateDirectory());
  const inMemory = new Set(installed.flatMap(({ root }) => findSetup(root, [root]).running.map(({ pid }) => pid)));
  // Those of other users and of a proof have other sessions.
  const own = found?.filter(({ stateDirectory: state }) => state === undefined || realPath(state) === here);
  if (own?.length === 0) return [];
  const patches = installed.map(({ root, isPatched }) => ({ isPatched, patchedAt: patchState(root).since }));
  return own?.map(({ pid, since, env }) => {
    const guards = new Set(patches.map((one) => guardIn(one, since)));
    const [only = "unknown"] = guards;
    const byFiles = guards.size > 1 ? "unknown" : only;
    const guard = env && !isEnabled(env) ? "off" : inMemory.has(pid) ? "memory" : byFiles;
    return { pid, since, guard };
  });
}

/** Whether a process that began at this time has the guard, if it runs the OpenClaw that was patched so. */
function guardIn(
  { isPatched, patchedAt }: Pick<Installed, "isPatched"> & { readonly patchedAt: number | undefined },
  since: number | undefined,
): GatewayAtHand["guard"] {
  if (isPatched === false) return "unpatched";
  if (isPatched === undefined || patchedAt === undefined || since === undefined) return "unknown";
  return patchedAt < since ? "patched" : "earlier";
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
