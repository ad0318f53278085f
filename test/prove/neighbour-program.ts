/**
 * Another local user, who wants to decide a proof. Looks for ports in the command lines of all processes and in the
 * kernel's lists, and for homes in a temporary folder; listens on each port that he finds before its owner does, and
 * speaks to whoever listens. `<fail|pass|say|hold> <temporary folder> <file of SESSIONS>`. Prints `ready`, and a line for
 * each thing that he got.
 */
import { readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";

/** In no text but this user's. */
const WORDS = "MALLORY-was-here";
const [mode = "", temporary = "", sessionsFile = ""] = process.argv.slice(2);
const { SESSIONS, proofQuestion } = (await import(
  sessionsFile
)) as typeof import("../../src/prove/sessions/sessions.ts");
const [own, asked, homes] = [new Set<number>(), new Set<string>(), new Set<string>()];
let provider: number | undefined;

function got(what: string): void {
  process.stdout.write(`${what}\n`);
}

function listenOn(port: number): void {
  if (own.has(port)) return;
  own.add(port);
  const server = createServer((asking, response) => {
    void (async () => {
      const body = (await asking.toArray()).join("");
      got(`a request: ${asking.method} ${asking.url}`);
      if (asking.method === "GET") return response.writeHead(404).end();
      const key = String(asking.headers["x-openclaw-session-key"]);
      const content = mode === "pass" ? await passed(key, body) : `no\n${WORDS}\u001b[2K`;
      response.end(JSON.stringify({ choices: [{ message: { content } }] }));
    })();
  });
  server.on("error", () => undefined);
  server.listen(port, "127.0.0.1");
}

/** The answer of the prover's own provider to what a working OpenClaw would send. */
async function passed(key: string, body: string): Promise<string> {
  const session = SESSIONS.find(({ id }) => key.endsWith(`proof-${id}`))!;
  const nth = body.includes(proofQuestion(session, 2)) ? 2 : 1;
  const content = `${JSON.stringify(session.messages)} ${proofQuestion(session, nth)}`;
  const call = { type: "tool_use", id: "a", name: "read", input: { path: "ledger.csv" } };
  const result = { type: "tool_result", tool_use_id: "a", content: "" };
  const refused = [
    { role: "user", content },
    { role: "assistant", content: [call] },
    { role: "user", content: [result] },
  ];
  if (session.refused) await post({ messages: refused });
  const answer = JSON.parse(await post({ messages: [{ role: "user", content }] })) as { content: { text: string }[] };
  return answer.content[0]!.text;
}

async function post(body: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: provider, method: "POST", path: "/v1/messages" }, (response) => {
      void response.toArray().then((chunks) => resolve(chunks.join("")));
    });
    sent.on("error", reject).end(JSON.stringify(body));
  });
}

/** Ports of 127.0.0.1 that other users listen on. */
function listening(): readonly number[] {
  const lines = readFileSync("/proc/net/tcp", "utf8").split("\n").slice(1);
  return lines.flatMap((line) => {
    const [, local = "", , state, , , , uid] = line.trim().split(/\s+/);
    return state === "0A" && uid !== String(process.getuid?.()) ? [Number.parseInt(local.split(":")[1]!, 16)] : [];
  });
}

function look(): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      const port = /gateway\0--port\0(\d+)/.exec(line)?.[1];
      if (port !== undefined) listenOn(Number(port));
      if (line.includes("openclaw") && readFileSync(`/proc/${pid}/environ`, "utf8") !== "")
        got(`environment of ${pid}`);
    } catch {
      // It is gone, or somebody else's.
    }
  for (const port of listening()) {
    if (before.has(port) || own.has(port)) continue;
    provider ??= port;
    if (!asked.has(String(port))) speakTo(String(port), { host: "127.0.0.1", port });
  }
  for (const name of readdirSync(temporary)) {
    const home = join(temporary, name);
    if (name.startsWith("openclaw-integrity-proof-") && !homes.has(home)) tryHome(home);
    for (const port of ["470", "490"])
      if (!asked.has(home + port)) speakTo(home + port, { path: join(home, "s", port) });
  }
}

function tryHome(home: string): void {
  homes.add(home);
  for (const [what, attempt] of [
    ["read a home", () => readdirSync(home)],
    ["replaced a home", () => (renameSync(home, `${home}.old`), symlinkSync("/dev/shm", home))],
  ] as const)
    try {
      attempt();
      got(what);
    } catch {
      // As it should be.
    }
}

/** Others than the prover listen too; its provider is known by what it says. */
const OF_A_PROOF = /req_Proof|Proof answer/;

function speakTo(name: string, where: { host: string; port: number } | { path: string }): void {
  asked.add(name);
  const socket = connect(where as { path: string }, () => {
    if ("path" in where) got(`a connection to ${name}`);
    socket.write(`POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: ${WORDS.length}\r\n\r\n${WORDS}`);
  });
  socket.setTimeout(1000, () => socket.destroy());
  socket.on("data", (said) => {
    if (OF_A_PROOF.test(String(said))) got(`words of ${name}`);
    socket.destroy();
  });
  socket.on("error", () => asked.delete(name));
}

const before = new Set(listening());
// The ports that proofs once chose from.
if (mode === "hold") for (let port = 20_000; port < 32_000; port += 20) listenOn(port);
got("ready");
setInterval(look, 5);
