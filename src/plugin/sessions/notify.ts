import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describeError } from "../../base/coded-error.ts";
import { visibleLines } from "../../base/visible.ts";
import type { PluginLogger } from "../api.ts";
import type { NotifyTarget, PluginConfig } from "../settings/config.ts";

/** OpenClaw's command line takes up to ten seconds to start on a slow machine, and then reaches the channel. */
const TIMEOUT_MS = 120_000;

/**
 * Sends a message to the operator in the configured channel, through OpenClaw's own `message send`, which supports
 * every channel in every release. Never throws: returns in a sentence what failed.
 */
async function notifyOperator(
  root: string,
  { channel, to, accountId }: NotifyTarget,
  text: string,
): Promise<string | undefined> {
  const account = accountId === undefined ? [] : ["--account", accountId];
  try {
    await promisify(execFile)(
      process.execPath,
      [
        join(root, "openclaw.mjs"),
        "message",
        "send",
        "--channel",
        channel,
        "--target",
        to,
        ...account,
        "--message",
        visibleLines(text),
      ],
      {
        timeout: TIMEOUT_MS,
        // The gateway's own NODE_OPTIONS would debug, profile or preload the child too.
        env: { ...process.env, NODE_OPTIONS: "" },
      },
    );
    return undefined;
  } catch (error) {
    const { stderr } = error as { readonly stderr?: string };
    const lastLine = stderr?.trim().split("\n").at(-1);
    return lastLine === undefined || lastLine === "" ? describeError(error) : lastLine;
  }
}

/** Returns a function that reports to the operator: in the log, and in the configured channel. */
export function operatorNotifier(
  root: string,
  { notify }: Pick<PluginConfig, "notify">,
  log: Required<PluginLogger>,
): (text: string) => void {
  return (text) => {
    log.warn(text);
    if (notify === undefined) return;
    void notifyOperator(root, notify, `OpenClaw session integrity: ${text}`).then((problem) => {
      if (problem !== undefined) log.error(`the operator could not be notified in ${notify.channel}: ${problem}`);
    });
  };
}
