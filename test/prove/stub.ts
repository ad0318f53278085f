/** Packages that say they are OpenClaw, to see what becomes of the processes and folders of a proof. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../../harness/temporary.ts";

/** Starts a process of its own, writes down who and where it is, and does nothing more. */
export const HANGS = `
const { spawn } = await import("node:child_process");
const { writeFileSync, renameSync } = await import("node:fs");
const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
process.on("SIGTERM", () => {});
const seen = { pids: [process.ppid, process.pid, child.pid], home: process.env.HOME, env: process.env };
writeFileSync(import.meta.dirname + "/seen.part", JSON.stringify(seen));
renameSync(import.meta.dirname + "/seen.part", import.meta.dirname + "/seen.json");
setInterval(() => {}, 1000);
`;

/**
 * A gateway that sends the stored texts of the session and the message to the provider, in one message, while
 * `isAnswering`, an expression, is true; else it says no. With `recovers` it sends first what the provider refuses.
 */
export function answersWhile(isAnswering: string, { recovers = false } = {}): string {
  return `
const { createServer } = await import("node:http");
const { readFileSync } = await import("node:fs");
const { gateway, models } = JSON.parse(readFileSync(process.env.OPENCLAW_CONFIG_PATH, "utf8"));
const { baseUrl, apiKey } = models.providers.anthropic;
const folder = process.env.OPENCLAW_STATE_DIR + "/agents/main/sessions/";
const index = JSON.parse(readFileSync(folder + "sessions.json", "utf8"));
const ask = (...messages) => fetch(baseUrl + "/v1/messages", {
  method: "POST",
  headers: { "x-api-key": apiKey },
  body: JSON.stringify({ messages }),
}).then((said) => said.json());
createServer(async (request, response) => {
  if (request.method === "GET") return response.writeHead(404).end();
  const { messages } = JSON.parse((await request.toArray()).join(""));
  const stored = readFileSync(folder + index[request.headers["x-openclaw-session-key"]].sessionId + ".jsonl", "utf8");
  const content = stored + messages[0].content;
  const call = { type: "tool_use", id: "a", name: "read", input: { path: "ledger.csv" } };
  const result = { type: "tool_result", tool_use_id: "a", content: "" };
  if (${recovers}) await ask({ role: "user", content }, { role: "assistant", content: [call] }, { role: "user", content: [result] });
  const answer = ${isAnswering} ? await ask({ role: "user", content }) : { content: [{ text: "no" }] };
  response.end(JSON.stringify({ choices: [{ message: { content: answer.content[0].text } }] }));
}).listen(gateway.port, "127.0.0.1");
`;
}

/** A gateway that a proof proves. */
export const WORKS = answersWhile("true", { recovers: true });

/** What {@link HANGS} has written down. The first process is the keeper, the last one was started by OpenClaw. */
export interface Seen {
  readonly pids: readonly [keeper: number, openclaw: number, child: number];
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A package whose start file has this code. */
export function stubOpenClaw(code: string, manifest: Readonly<Record<string, unknown>> = {}): string {
  const root = join(newFolder(), "openclaw");
  mkdirSync(root);
  const base = { name: "openclaw", version: "2026.9.99", type: "module", bin: { openclaw: "openclaw.mjs" } };
  writeFileSync(join(root, "package.json"), JSON.stringify({ ...base, ...manifest }));
  writeFileSync(join(root, "openclaw.mjs"), code);
  return root;
}

/** What the stub in `root` has written down; undefined until it has. */
export function seenBy(root: string): Seen | undefined {
  const file = join(root, "seen.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Seen) : undefined;
}
