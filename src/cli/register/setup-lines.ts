import { formatTime } from "../../base/time.ts";
import type { Setup } from "../../register/index.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** Returns a line for each trace of the hook: gateways that run with it, services and a shell that load it. */
export function setupLines({ running, services, isInShell }: Setup): readonly string[] {
  const hooked = services.map(({ name, file, hook, isGone }) =>
    isGone
      ? `  ${name} CANNOT START: it loads ${hook}, which is not there (${file}). ` +
        `Run: ${ownCommand("service install")}, or: ${ownCommand("service remove")}`
      : `  ${name} starts it patched in memory (${file})`,
  );
  const none = services.length > 0 && running.length === 0;
  return [
    ...running.map(
      ({ pid, patchSet, since }) =>
        `  a gateway runs patched in memory: process ${pid} since ${formatTime(since)}, patch set ${patchSet}`,
    ),
    ...hooked,
    ...(none ? ["  no gateway with the hook runs now; one that runs must be restarted"] : []),
    ...(isInShell ? ["  NODE_OPTIONS of this shell has it patched in memory"] : []),
  ];
}
