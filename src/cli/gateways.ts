import { realpathSync } from "node:fs";
import type { GatewayAtHand } from "../doctor/index.ts";
import { patchState } from "../patching/index.ts";
import { findSetup, isEnabled } from "../register/index.ts";
import { findGateways, stateDirectory, type RunningGateway } from "../store/index.ts";
import { type Protection, readProtections } from "../store/openclaw/protection.ts";

/** An OpenClaw that a gateway may run. */
interface Installed {
  readonly root: string;
  /** By its files; undefined where others have changed them. */
  readonly isPatched: boolean | undefined;
}

/**
 * The gateways that run with these sessions, and whether the guard is at work in each; undefined where the system has no
 * list of processes. A gateway without the plugin does not tell which OpenClaw it runs, and is judged by all of
 * `installed`.
 */
export function gatewaysAtHand(
  installed: readonly Installed[],
  running: readonly RunningGateway[] | undefined = findGateways(),
): readonly GatewayAtHand[] | undefined {
  const here = realPath(stateDirectory());
  const inMemory = new Set(installed.flatMap(({ root }) => findSetup(root, [root]).running.map(({ pid }) => pid)));
  // Those of other users and of a proof have other sessions.
  const own = running?.filter(({ stateDirectory: state }) => state === undefined || realPath(state) === here);
  if (own?.length === 0) return [];
  const patches = installed.map(({ root, isPatched }) => ({ root, isPatched, patchedAt: patchState(root).since }));
  const found = readProtections(here);
  return own?.map(({ pid, since, env }) => {
    const said = found.get(pid);
    const its = patches.filter(({ root }) => said === undefined || realPath(said.root) === realPath(root));
    const guards = new Set(its.map((one) => guardIn(one, since)));
    const [only = "unknown"] = guards;
    const byFiles = guards.size > 1 ? "unknown" : only;
    const guard = env && !isEnabled(env) ? "off" : inMemory.has(pid) ? "memory" : byFiles;
    return { pid, since, guard: judgedBy(said, guard), ...(said && { said }) };
  });
}

/** What a gateway has found itself is true as long as it runs, and its files are still those of the patch. */
function judgedBy(said: Protection | undefined, guard: GatewayAtHand["guard"]): GatewayAtHand["guard"] {
  if (said === undefined || said.state === "unknown" || guard === "off" || guard === "unpatched") return guard;
  if (said.state === "protected") return "proven";
  return guard === "earlier" ? guard : "refuted";
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
