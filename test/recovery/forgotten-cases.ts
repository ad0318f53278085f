/** What the guard says of a message that is in no later request. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { patience } from "../../harness/patience.ts";
import { openJournal } from "../../src/journal/index.ts";
import type { Patched } from "./patched-gateway.ts";

/** A message that another program takes from the store, and ones that OpenClaw leaves out where it may. */
export function forgotten(patched: Patched): void {
  const KEY = "agent:main:forgetful";
  it(
    "of a message which another program took from the store it is said that it is in no request any more",
    async () => {
      const { gateway, provider } = patched;
      const before = gateway.forgotten().length;
      const said = (): string[] => gateway.forgotten().slice(before);
      await gateway.send(KEY, "remember the grey heron");
      await gateway.send(KEY, "and the blue one");
      expect(said()).toEqual([]);
      vanish(gateway.stateDir);
      await gateway.send(KEY, "which ones?");
      expect(provider.requests.at(-1)!.raw).toContain("and the blue one");
      expect(provider.requests.at(-1)!.raw).not.toContain("grey heron");
      await gateway.send(KEY, "well?");
      expect(said()).toEqual([expect.stringContaining("user 1 (not_stored)")]);
      const journal = openJournal(join(gateway.stateDir, "openclaw-integrity.sqlite"));
      const incidents = journal.incidents.list().filter(({ kind }) => kind === "forgotten");
      journal.close();
      expect(incidents).toMatchObject([{ details: { messages: [{ role: "user", where: "not_stored" }] } }]);
      expect(JSON.stringify(incidents)).not.toContain("heron");
    },
    patience(120_000),
  );

  it(
    "of what a summary or a new conversation has left out nothing is said",
    async () => {
      const { gateway, provider } = patched;
      const before = gateway.forgotten().length;
      const command = "echo a grey $((40 + 2)) heron";
      provider.script({ kind: "tool", calls: [{ name: "exec", arguments: { command } }] });
      for (const text of ["count them", "and now?", "/compact", "how many?", "/new", "who are you?"])
        await gateway.send("agent:main:summarised", text);
      expect(provider.requests.at(-1)!.raw).not.toContain('"count them');
      expect(gateway.forgotten().slice(before)).toEqual([]);
    },
    patience(120_000),
  );
}

/** Takes the first message out of the transcript: its row of a file, or its words and time in a row of the database. */
function vanish(stateDir: string): void {
  const agent = join(stateDir, "agents", "main");
  const sessions = join(agent, "sessions");
  const files = readdirSync(sessions).filter((name) => name.endsWith(".jsonl"));
  const file = files.find((name) => readFileSync(join(sessions, name), "utf8").includes("grey heron"));
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
