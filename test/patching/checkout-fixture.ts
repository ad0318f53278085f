/** A small source checkout with the statements that the patch points look for, and nothing else of OpenClaw. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { newFolder } from "../../harness/temporary.ts";

const pipeline = (
  session: string,
): string => `import { type Agent, limitHistoryTurns, sanitizeSessionHistory } from "./history.js";

export interface Params {
  readonly sessionId: string;
  readonly sessionKey?: string;
  readonly sessionFile: string;
}

export async function run(params: Params, ${session}: Agent, provider: string, modelId: string): Promise<number> {
  await repairSessionFileIfNeeded({ sessionFile: params.sessionFile });
  const sanitized = await sanitizeSessionHistory({
    messages: ${session}.messages,
    sessionId: params.sessionId,
    provider,
    modelId,
    modelApi: ${session}.api,
  });
  const limited = limitHistoryTurns(sanitized, getHistoryLimitFromSessionKey(params.sessionKey));
  if (limited.length > 0) {
    ${session}.agent.replaceMessages(limited);
  }
  return limited.length satisfies number;
}

async function repairSessionFileIfNeeded({ sessionFile }: { sessionFile: string }): Promise<string> {
  return sessionFile;
}

function getHistoryLimitFromSessionKey(key: string | undefined): number {
  return (key as string | undefined)?.length ?? 0;
}
`;

const FILES: Readonly<Record<string, string>> = {
  "package.json": '{ "name": "openclaw", "version": "2026.4.1", "type": "module" }\n',
  "src/agents/history.ts": `export interface Agent {
  messages: string[];
  api: string;
  agent: { replaceMessages(messages: string[]): void };
}

export async function sanitizeSessionHistory(options: { messages: string[] } & Record<string, unknown>): Promise<string[]> {
  return options.messages;
}

export function limitHistoryTurns(messages: string[], limit: number): string[] {
  return messages.slice(-limit);
}
`,
  "src/agents/attempt.ts": pipeline("activeSession"),
  "src/agents/compact.ts": pipeline("session"),
  "src/agents/attempt.test.ts": 'limitHistoryTurns("a test is no place for the patch");\n',
};

/** Makes such a checkout. */
export function newCheckout(): string {
  const root = newFolder();
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}

/** Runs git in a folder, as somebody. */
export function git(folder: string, ...args: readonly string[]): string {
  return execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: "pipe",
    maxBuffer: 2 ** 28,
  });
}

/** Makes the checkout a repository with one commit. */
export function committed(root: string): string {
  git(root, "init", "--quiet");
  git(root, "add", "--all");
  git(root, "commit", "--quiet", "-m", "all");
  return root;
}
