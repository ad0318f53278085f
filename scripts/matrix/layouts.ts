/**
 * The releases that are installed and run for real: one or more for each way in which OpenClaw's code was bundled or
 * its sessions kept.
 */
export const LAYOUTS: readonly { readonly release: string; readonly layout: string }[] = [
  { release: "2026.1.30", layout: "one file per source, no repair of a session's file" },
  { release: "2026.2.1", layout: "one file per source" },
  { release: "2026.2.3", layout: "4 bundled copies, extensionAPI.js (base release)" },
  { release: "2026.2.9", layout: "4 bundled copies, pairing not yet repaired behind the limit" },
  { release: "2026.2.17", layout: "5 bundled copies, no extensionAPI.js" },
  { release: "2026.2.26", layout: "5 bundled copies" },
  { release: "2026.3.8", layout: "10 bundled copies" },
  { release: "2026.3.13", layout: "7 bundled copies" },
  { release: "2026.3.24", layout: "1 copy, in pi-embedded" },
  { release: "2026.3.28", layout: "1 copy, in auth-profiles" },
  { release: "2026.4.2", layout: "the last with replaceMessages" },
  { release: "2026.4.11", layout: "state.messages, pi-embedded-runner" },
  { release: "2026.5.7", layout: "compact and selection apart; with a reset for role ordering that is called" },
  { release: "2026.5.28", layout: "the first with OpenClaw's own agent core" },
  { release: "2026.6.11", layout: "session file with a trusted snapshot" },
  { release: "2026.6.35", layout: "the last of 2026.6" },
  { release: "2026.7.35", layout: "the last with JSONL sessions" },
  { release: "2026.8.2", layout: "SQLite sessions" },
  { release: "2026.9.3", layout: "SQLite, .mjs chunks, parents of the bounded context" },
  { release: "2026.9.6", layout: "SQLite, asynchronous reads in a worker (base release)" },
];
