/** Who reads what this command prints: how the command was started, and which OpenClaw it was given. */
import type { Reader } from "../base/commands/own-command.ts";

/** What a command was called with. */
export interface Called {
  readonly path?: string;
  readonly global?: boolean;
}

/** How this command was started: the words before its name. Empty where a shell finds it by its name. */
function detectStarter(env: NodeJS.ProcessEnv): string {
  const agent = env["npm_config_user_agent"] ?? "";
  if (agent.startsWith("pnpm/")) return "pnpm exec ";
  if (agent.startsWith("yarn/")) return "yarn ";
  if (agent.startsWith("bun/")) return "bunx ";
  return agent === "" && env["npm_command"] === undefined ? "" : "npx ";
}

/** The reader of a command that was called so. */
export function toReader({ path, global }: Called, env: NodeJS.ProcessEnv = process.env): Reader {
  return { starter: detectStarter(env), ...(path !== undefined && { path }), ...(global !== undefined && { global }) };
}
