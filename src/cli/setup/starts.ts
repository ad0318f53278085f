/** How the next start of the gateway is patched, and what a person has to do for that. */
import { ownCommand } from "../../base/commands/own-command.ts";
import { shellWord } from "../../base/commands/shell-word.ts";
import { hookUrl, isInCache, withHook } from "../../register/index.ts";

/**
 * How OpenClaw comes to start patched: by patched files, by the service or the shell that starts it with the hook, or
 * `by-hand`: only when a person starts it so.
 */
export type Starts = "files" | "service" | "shell" | "by-hand";

/** The lines that say how OpenClaw is started patched by the hook at `url`, whole enough to be pasted. */
export function byHandLines(url: string = hookUrl()): readonly string[] {
  return [
    "patched in memory when the gateway is started with:",
    `  ${ownCommand("run")} -- openclaw gateway`,
    ...(isInCache(url)
      ? [
          "or with NODE_OPTIONS, for which openclaw-integrity has to be installed: this is a copy in the cache " +
            "of npx or pnpm dlx, and Node does not start when its file is gone",
          "  npm install --global openclaw-integrity",
        ]
      : [
          "or where this is in its environment:",
          `  export NODE_OPTIONS=${shellWord(withHook(process.env["NODE_OPTIONS"], url))}`,
        ]),
  ];
}
