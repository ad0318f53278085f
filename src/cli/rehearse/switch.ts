/** The update itself, by the operator's own package manager, only when asked for. */
import { findInstallations, PatchError, type Found } from "../../patching/index.ts";
import { ownCommand } from "../../base/commands/own-command.ts";
import { shellWord } from "../../base/commands/shell-word.ts";
import { describeError } from "../../base/coded-error.ts";
import { applyOutcome } from "../patch/apply.ts";
import { rehearsalError } from "../rehearsal-place.ts";
import { EXIT, type Outcome } from "../run.ts";
import { waiting } from "../waiting.ts";
import { specifier, type Next } from "./next.ts";
import { runNpm } from "./npm.ts";

/** The command that updates the live OpenClaw. */
export interface Switch {
  readonly command: string;
  /** npm's arguments, where the OpenClaw is npm's global one; another one is the operator's to update. */
  readonly npm?: readonly string[];
}

const GLOBAL = { pnpm: "pnpm add --global", yarn: "yarn global add", bun: "bun add --global" } as const;

/** The command for the way in which this OpenClaw was installed; `version` is the one that was rehearsed. */
export function switchFor({ root }: Found, next: Next, version: string): Switch {
  const what = specifier(next.kind === "registry" ? { kind: "registry", name: version } : next);
  const ways = waysOfMachine(root);
  if (ways.includes("npm")) {
    const npm = ["install", "--global", ...(next.kind === "folder" ? ["--install-links"] : []), what];
    return { command: ["npm", ...npm.map(shellWord)].join(" "), npm };
  }
  const manager = (["pnpm", "yarn", "bun"] as const).find((way) => ways.includes(way));
  return { command: `${manager === undefined ? "npm install" : GLOBAL[manager]} ${shellWord(what)}` };
}

function waysOfMachine(root: string): Found["ways"] {
  try {
    return findInstallations({ global: true }).find((found) => found.root === root)?.ways ?? [];
  } catch (error) {
    if (error instanceof PatchError) return [];
    throw error;
  }
}

/**
 * Updates the live OpenClaw and patches it. Rejects with `not-switched` where npm failed, and where the new one is not
 * patched.
 */
export async function doSwitch(
  { root, release }: Found,
  npm: readonly string[],
): Promise<Pick<Outcome, "lines" | "warnings">> {
  waiting(`npm ${npm.join(" ")}`);
  const back = `npm install --global openclaw@${release}`;
  await runNpm(npm, { todo: `Look at \`openclaw --version\`; the way back: ${back}` });
  const patched = await applyOutcome({ path: root, prove: true, quiet: true }).catch((error: unknown) => {
    throw rehearsalError("not-switched", {
      expected: "the OpenClaw that npm has installed to be patched",
      found: describeError(error),
      todo: `It runs UNPATCHED. To patch it: ${ownCommand("apply")}. The way back: ${back}`,
    });
  });
  if ((patched.exit ?? EXIT.ok) === EXIT.ok)
    return { lines: patched.lines, ...(patched.warnings && { warnings: patched.warnings }) };
  const message: unknown = patched.data["message"];
  throw rehearsalError("not-switched", {
    expected: "the patch of the OpenClaw that npm has installed to be proven",
    found: typeof message === "string" ? message : "that it was not",
    todo: `See what it is now: ${ownCommand("status")}. The way back: ${back}`,
  });
}
