import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { toTranscript } from "../../harness/openclaw/index.ts";
import { makeMessages, PLACE } from "../../harness/openclaw/travelling.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";

const RELEASE = "2026.9.6";
const KEY = "agent:main:rewound";
const ROOT = join(releasesFolder(), RELEASE, "patched");
const WRITER = fileURLToPath(new URL("../../dist/plugin/store-process.mjs", import.meta.url));
/** Longer than OpenClaw takes to begin tidying its store after a write. */
const WATCHED_MS = 5_000;

let gateway: Gateway;
let writer: ChildProcess;

beforeAll(async () => {
  gateway = await openGateway({ root: ROOT, release: RELEASE, providerUrl: "http://127.0.0.1:1" });
  await gateway.seed(KEY, toTranscript(makeMessages("anthropic-messages")));
  writer = fork(WRITER, { stdio: ["ignore", "ignore", "ignore", "ipc"], serialization: "advanced", execArgv: [] });
});
afterAll(async () => {
  writer.kill("SIGKILL");
  await gateway.close();
});

/** The locks of OpenClaw's state that the process has open, of which another process holds one exclusively. */
function heldLocks(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  const open = readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))];
    } catch {
      return [];
    }
  });
  return [...new Set(open)].filter((file) => /state-locks.*\.lock\.sqlite$/.test(file) && isHeld(file));
}

function isHeld(file: string): boolean {
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA busy_timeout = 0; BEGIN; SELECT rootpage FROM sqlite_schema LIMIT 1; ROLLBACK");
    return false;
  } catch {
    return true;
  } finally {
    database.close();
  }
}

it("the writer process holds no lock of OpenClaw's state once it has answered", async () => {
  const place = { which: KEY, place: PLACE.firstAnswer, withWords: true };
  writer.send({
    id: 1,
    method: "rewind",
    argument: { ...place, stateDirectory: gateway.stateDir, root: join(ROOT, "node_modules", "openclaw") },
  });
  const [answer] = (await once(writer, "message")) as [{ readonly value?: { readonly action: string } }];
  expect(answer.value).toMatchObject({ action: "rewound" });
  const held: string[] = [];
  for (const end = performance.now() + WATCHED_MS; performance.now() < end; await sleep(5))
    held.push(...heldLocks(writer.pid!));
  expect(held).toEqual([]);
});
