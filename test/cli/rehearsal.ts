/** A home with an OpenClaw in use whose update is rehearsed. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transcriptPath } from "../../harness/corpus/case.ts";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { newFolder } from "../../harness/temporary.ts";
import { cli, projectWith, userEnvironment, type Run } from "./fixture.ts";

const CONFIG = '{\n  // mine\n  "gateway": { "mode": "local" }\n}\n';
/** Bricks 2026.9.6 unpatched: the provider refuses a history that begins with a result. */
const BROKEN = "a-first-message-is-a-result";
/** The folder of setup in the home. */
export const INTEGRITY = join(".openclaw", "integrity");

/** A home with a 2026.2.3 in use, and the release to rehearse. */
export interface Rehearsal {
  readonly next: string;
  readonly folder: string;
  readonly home: string;
  readonly state: string;
  readonly env: () => NodeJS.ProcessEnv;
  readonly run: (...args: string[]) => Run;
  /** Bytes and times of the installation, of OpenClaw's state and of the home. */
  readonly picture: () => readonly unknown[];
}

/** Makes such a home: its conversations are a broken and a sound one. */
export async function makeRehearsal(): Promise<Rehearsal> {
  const next = (await ensureRelease("2026.9.6")).stock;
  const { folder } = await projectWith("2026.2.3");
  const home = newFolder();
  const state = join(home, ".openclaw");
  const sessions = join(state, "agents", "main", "sessions");
  mkdirSync(sessions, { recursive: true });
  writeFileSync(join(state, "openclaw.json"), CONFIG);
  const ids = { broken: "11111111-1111-4111-8111-111111111111", sound: "22222222-2222-4222-8222-222222222222" };
  writeFileSync(join(sessions, `${ids.broken}.jsonl`), readFileSync(transcriptPath(BROKEN)));
  writeFileSync(join(sessions, `${ids.sound}.jsonl`), soundTranscript(ids.sound));
  // A model that is not there would fail every turn: of the operator's own entry nothing may be copied.
  const entry = { updatedAt: 1_772_359_200_000, modelOverride: "gpt-5", providerOverride: "openai" };
  const index = Object.entries(ids).map(([name, sessionId]) => [`agent:main:${name}`, { ...entry, sessionId }]);
  writeFileSync(join(sessions, "sessions.json"), JSON.stringify(Object.fromEntries(index)));
  const env = (): NodeJS.ProcessEnv => userEnvironment(home);
  const run = (...args: string[]): Run => cli(["setup", ...args], folder, env());
  return { next, folder, home, state, env, run, picture: () => listTrees(folder, home) };
}

function soundTranscript(id: string): string {
  const base = { type: "message", timestamp: "2026-03-01T10:00:00.000Z" };
  const model = { provider: "anthropic", model: "claude-opus-4-5", api: "anthropic-messages", stopReason: "stop" };
  return [
    { type: "session", version: 3, id, timestamp: base.timestamp, cwd: "/workspace" },
    { ...base, id: "u0", parentId: null, message: { role: "user", content: [{ type: "text", text: "Where is it?" }] } },
    {
      ...base,
      id: "a0",
      parentId: "u0",
      message: { role: "assistant", content: [{ type: "text", text: "It stands in the shed." }], ...model },
    },
  ]
    .map((row) => `${JSON.stringify(row)}\n`)
    .join("");
}

function listTrees(folder: string, home: string): readonly unknown[] {
  return [folder, home].flatMap((root) =>
    ["", ...readdirSync(root, { recursive: true, encoding: "utf8" })]
      // npm's cache is npm's.
      .filter((name) => !name.startsWith(".npm"))
      .toSorted()
      .map((name) => {
        const { mtimeMs, mode, size } = lstatSync(join(root, name));
        // The rehearsal's own folder was made in them, and npm's cache in the home.
        if (root === home && ["", ".openclaw", INTEGRITY].includes(name)) return [name, mode];
        return [
          name,
          mtimeMs,
          mode,
          size,
          lstatSync(join(root, name)).isFile() && readFileSync(join(root, name), "hex"),
        ];
      }),
  );
}
