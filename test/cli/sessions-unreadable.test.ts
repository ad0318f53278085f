/** Transcripts and lists of OpenClaw in which nothing can be read: what the commands say of them is true. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { newSessionFiles, type Run } from "./fixture.ts";
import { runHere } from "./in-process.ts";

const HEALTHY = toTranscript([user("go"), says("yes")]);

describe("stored sessions that cannot be read", () => {
  let stateDir: string;
  let folder: string;
  const run = async (...args: string[]): Promise<Run> => runHere(stateDir, ["sessions", ...args]);
  beforeEach(() => {
    ({ stateDir, folder } = newSessionFiles());
    put("healthy", HEALTHY);
  });
  const put = (id: string, text: string | Buffer): void => writeFileSync(join(folder, `${id}.jsonl`), text);

  test("a transcript without a line of JSON is no valid session: not read, exit code 3, and no repair empties it", async () => {
    put("garbage", "not json\n");
    put("torn", '{"type":"session","ver');
    put("random", Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * at * 7 + at * 31) % 256)));
    put("empty", "");
    writeFileSync(join(folder, "sessions.json"), "{}");
    const scanned = await run("scan");
    expect(scanned.status).toBe(3);
    expect(scanned.stdout).toMatch(/^garbage .*: not read: .*found one line, which is not JSON\. .*writes a new/m);
    expect(scanned.stdout).toMatch(/: 3 could not be read, no faults in the others\n$/);
    for (const id of ["garbage", "torn", "random"]) {
      const { status, stdout, data } = await run("show", id, "--json");
      expect({ status, data }).toMatchObject({ status: 3, data: { session: { unread: expect.any(String) } } });
      expect(stdout).not.toContain("sound");
      expect(await run("repair", id, "--json")).toMatchObject({ status: 1, data: { code: "store-unreadable" } });
    }
    expect((await run("repair", "--all")).stderr.match(/was not read/g)).toHaveLength(3);
    expect(readFileSync(join(folder, "garbage.jsonl"), "utf8")).toBe("not json\n");
    expect((await run("doctor", "--json")).data).toMatchObject({ unread: 3, total: 5 });
    expect((await run("show", "empty")).status).toBe(0);
  });

  test.each([
    [
      "Claude Code",
      { type: "user", uuid: "u1", parentUuid: null, sessionId: "s", message: { role: "user", content: "x" } },
    ],
    ["Codex", { type: "response_item", payload: { type: "message", role: "user", content: [] } }],
    ["OpenHands", { kind: "MessageEvent", source: "user", llm_message: { role: "user", content: [] } }],
    ["goose", { role: "user", created: 1, content: [{ type: "text", text: "x" }] }],
    ["a program that is not known here", { role: "user", content: "x" }],
  ])("a transcript of %s is named and left alone, not made one of OpenClaw", async (program, row) => {
    const text = `${JSON.stringify({ type: "summary", summary: "x" })}\n${JSON.stringify(row)}\n`;
    put("other", text);
    const found = `found a transcript of ${program}. `;
    const unread = { session: { unread: expect.stringContaining(found) } };
    for (const which of ["other", join(folder, "other.jsonl")]) {
      expect(await run("show", which, "--json")).toMatchObject({ status: 3, data: unread });
      for (const strategy of ["remove_orphans", "truncate"]) {
        const { status, stderr } = await run("repair", which, "--strategy", strategy);
        expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(found) });
      }
    }
    expect(await run("scan", "--json")).toMatchObject({ status: 3, data: { corrupt: 0, unread: 1 } });
    expect((await run("repair", "--all")).stderr).toContain(found);
    expect(readFileSync(join(folder, "other.jsonl"), "utf8")).toBe(text);
  });

  test("a session whose header is lost, or that holds rows of another program, is still OpenClaw's", async () => {
    const [header, ...entries] = HEALTHY.trimEnd().split("\n");
    const foreign = JSON.stringify({ type: "user", uuid: "u1", parentUuid: null, sessionId: "s" });
    put("headless", `${entries.join("\n")}\n`);
    put("mixed", [header, foreign, ...entries, ""].join("\n"));
    for (const id of ["headless", "mixed"]) expect(await run("repair", id)).toMatchObject({ status: 0 });
  });

  test("lines that OpenClaw skips beside readable ones are named in words", async () => {
    put("healthy", `${HEALTHY}no JSON\n`);
    expect((await run("show", "healthy")).stdout).toContain("\n  1 line that is not JSON, which OpenClaw skips\n");
  });

  test.each([
    ["no JSON", '{"agent:main:main": {"sessionId": "hea', /cannot be read: (?!expected).*\. The transcripts beside it/],
    ["a folder", undefined, /cannot be read: a folder where a file should be \(EISDIR\)\. /],
  ])(
    "an index that is %s: the transcripts are listed all the same, with a warning and exit code 3",
    async (_, text, why) => {
      if (text === undefined) mkdirSync(join(folder, "sessions.json"));
      else writeFileSync(join(folder, "sessions.json"), text);
      for (const command of [["scan"], ["list"], ["doctor"], ["repair", "--all"]]) {
        const { status, stdout, stderr } = await run(...command);
        expect({ command, status }).toEqual({ command, status: 3 });
        expect(stderr).toMatch(why);
        expect(stdout).toMatch(
          { scan: /^1 session /, list: / healthy /, doctor: /healthy/ }[command[0]!] ?? /no session/,
        );
        expect(stdout).not.toMatch(/nothing to do\.|there is none/);
      }
      expect(await run("show", "healthy")).toMatchObject({
        status: 0,
        stdout: expect.stringContaining("no conversation uses"),
      });
      const { data } = await run("show", "agent:main:main", "--json");
      expect(data).toMatchObject({ code: "store-unreadable", message: expect.stringMatching(why) });
      expect(String(data["message"])).not.toMatch(/lists all sessions|expected.*expected/);
    },
  );

  test("a state with nothing but a store that cannot be read has not 'none'", async () => {
    rmSync(join(folder, "healthy.jsonl"));
    mkdirSync(join(stateDir, "agents", "main", "agent"));
    writeFileSync(join(stateDir, "agents", "main", "agent", "openclaw-agent.sqlite"), "no database, and not empty");
    const { status, stdout, stderr } = await run("scan");
    expect({ status, stderr }).toMatchObject({ status: 3, stderr: expect.stringContaining("openclaw-agent.sqlite") });
    expect(stdout).toMatch(/: none could be listed\n$/);
    expect((await run("show", "nobody", "--json")).data).toMatchObject({ code: "store-unreadable" });
  });

  test("in a terminal of 60 columns sentences are wrapped and commands are not; a pipe gets each in one line", async () => {
    put("garbage", "not json\n");
    put("broken", toTranscript([user("go"), says("yes"), result("toolu_lost", "of nothing")]));
    const wide = (text: string): string[] =>
      text.split("\n").filter((line) => line.length > 60 && / .* /.test(line.trim()));
    for (const args of [["scan"], ["show", "garbage"], ["show", "nobody"], ["doctor"], ["repair", "broken"]]) {
      const { stdout, stderr } = await runHere(stateDir, ["sessions", ...args], 60);
      const sentences = wide(stdout + stderr).filter(
        (line) => !/^ *(?:npx )?openclaw-integrity /.test(line) && !line.includes("`"),
      );
      expect({ args, sentences }).toEqual({ args, sentences: [] });
      for (const line of stdout.split("\n"))
        if (/openclaw-integrity sessions re/.test(line))
          expect(line).toMatch(/^ +(?:npx )?openclaw-integrity sessions re\w+ .*\S$/);
    }
    expect((await run("show", "nobody")).stderr.trimEnd().split("\n")).toHaveLength(1);
    expect((await run("scan")).stdout).toMatch(/^garbage .*not read: .*changed\.$/m);
  });
});
