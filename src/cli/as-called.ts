/**
 * Commands in what is printed, as the reader has to type them: started the way this command was (npx, pnpm exec, ...),
 * and for the OpenClaw that was chosen.
 */
import { shellWord } from "../base/shell-word.ts";

/** What a command was called with. */
export interface Called {
  readonly path?: string;
  readonly global?: boolean;
}

/** The commands that take `--path` and `--global`. */
const TAKES_OPENCLAW = [
  "apply",
  "status",
  "prove",
  "verify",
  "revert",
  "explain",
  "write-patches",
  "setup",
  "sessions doctor",
  "sessions repair",
  "sessions restore",
  "checkpoints list",
  "checkpoints show",
  "checkpoints rollback",
  "timeline rewind",
  "plugin install",
  "plugin uninstall",
  "plugin status",
];
const OTHERS = [
  "sessions list",
  "sessions scan",
  "sessions show",
  "timeline",
  "continuity",
  "purge",
  "run",
  "service install",
  "service remove",
];
// A command behind a slash is a path; behind `npx` it is complete already, and so is one with an OpenClaw of its own.
const COMMAND = new RegExp(
  String.raw`(?<![\w/.-])(?<!\b(?:npx|bunx|yarn|exec) )openclaw-integrity (${[...TAKES_OPENCLAW, ...OTHERS].join("|")})(?![\w-])(?! --(?:path|global)\b)`,
  "g",
);

/** How this command was started: the words before its name. Empty where a shell finds it by its name. */
export function starterOf(env: NodeJS.ProcessEnv): string {
  const agent = env["npm_config_user_agent"] ?? "";
  if (agent.startsWith("pnpm/")) return "pnpm exec ";
  if (agent.startsWith("yarn/")) return "yarn ";
  if (agent.startsWith("bun/")) return "bunx ";
  return agent === "" && env["npm_command"] === undefined ? "" : "npx ";
}

/** Returns the text with each command of this package as the reader has to type it. */
export function asCalled(text: string, { path, global = false }: Called, env: NodeJS.ProcessEnv = process.env): string {
  const starter = starterOf(env);
  const which = global ? " --global" : path === undefined ? "" : ` --path ${shellWord(path)}`;
  if (starter === "" && which === "") return text;
  return text.replaceAll(
    COMMAND,
    (_, command: string) => `${starter}openclaw-integrity ${command}${TAKES_OPENCLAW.includes(command) ? which : ""}`,
  );
}
