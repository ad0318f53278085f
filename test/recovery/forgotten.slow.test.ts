import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { Gateway } from "../../harness/gateway/index.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import type { StrictProvider } from "../../harness/providers/index.ts";
import { patience } from "../../harness/patience.ts";
import { openJournal } from "../../src/journal/index.ts";
import { startPatched } from "./patched-gateway.ts";

interface Methods {
  stateDir: string;
  send(text: string): Promise<unknown>;
  forgotten(): string[];
}

const CONVERSATION = "agent:main:main";
async function start(release: string, mayForget: boolean): Promise<Methods & { provider: StrictProvider }> {
  const scopes = ["operator.read", "operator.write", "operator.admin"];
  const { gateway, provider } = await startPatched(release, { scopes, mayForget });
  return { provider, ...methodsOf(gateway) };
}

test.each(BASE_RELEASES)(
  "the gateway of OpenClaw %s says that a message which another program took from the store is in no request any more",
  async (release) => {
    const { provider, stateDir, send, forgotten } = await start(release, true);
    await send("remember the grey heron");
    await send("and the blue one");
    expect(forgotten()).toEqual([]);
    vanish(stateDir);
    await send("which ones?");
    expect(provider.requests.at(-1)!.raw).toContain("and the blue one");
    expect(provider.requests.at(-1)!.raw).not.toContain("grey heron");
    await send("well?");
    expect(forgotten()).toEqual([expect.stringContaining("user 1 (not_stored)")]);
    const journal = openJournal(join(stateDir, "openclaw-integrity.sqlite"));
    const incidents = journal.incidents.list();
    journal.close();
    expect(incidents).toMatchObject([
      { kind: "forgotten", details: { messages: [{ role: "user", where: "not_stored" }] } },
    ]);
    expect(JSON.stringify(incidents)).not.toContain("heron");
  },
  patience(120_000),
);

test.each(BASE_RELEASES)(
  "the gateway of OpenClaw %s says nothing of what a summary or a new conversation has left out",
  async (release) => {
    const { provider, send, forgotten } = await start(release, false);
    const command = "echo a grey $((40 + 2)) heron";
    provider.script({ kind: "tool", calls: [{ name: "exec", arguments: { command } }] });
    await send("count them");
    await send("and now?");
    await send("/compact");
    await send("how many?");
    await send("/new");
    await send("who are you?");
    expect(provider.requests.at(-1)!.raw).not.toContain('"count them');
    expect(forgotten()).toEqual([]);
  },
  patience(120_000),
);

function methodsOf(of: Gateway): Methods {
  return { stateDir: of.stateDir, send: (text) => of.send(CONVERSATION, text), forgotten: () => of.forgotten() };
}

/** Takes the first message out of the transcript: its row of a file, or its words and time in a row of the database. */
function vanish(stateDir: string): void {
  const agent = join(stateDir, "agents", "main");
  const sessions = join(agent, "sessions");
  const file = readdirSync(sessions).find((name) => name.endsWith(".jsonl"));
  if (file === undefined) return vanishFromRows(join(agent, "agent", "openclaw-agent.sqlite"));
  const rows = readFileSync(join(sessions, file), "utf8").split("\n");
  const at = rows.findIndex((row) => row.includes("grey heron"));
  const { id, parentId } = JSON.parse(rows[at]!) as { id: string; parentId: string | null };
  const relinked = rows
    .toSpliced(at, 1)
    .map((row) => row.replace(`"parentId":"${id}"`, `"parentId":${JSON.stringify(parentId)}`));
  writeFileSync(join(sessions, file), relinked.join("\n"));
}

function vanishFromRows(path: string): void {
  const database = new DatabaseSync(path);
  const [row] = database
    .prepare("SELECT session_id, seq, event_json FROM transcript_events WHERE event_json LIKE '%grey heron%'")
    .all() as { session_id: string; seq: number; event_json: string }[];
  const event = JSON.parse(row!.event_json) as { message: { content: unknown; timestamp: number } };
  Object.assign(event.message, { content: "something else", timestamp: event.message.timestamp + 1 });
  database
    .prepare("UPDATE transcript_events SET event_json = ? WHERE session_id = ? AND seq = ?")
    .run(JSON.stringify(event), row!.session_id, row!.seq);
  database.close();
}
