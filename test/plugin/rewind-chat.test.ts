/** `/rewind` and `/timeline` as a person uses them: list, look, yes; and texts of messages that try to pass for ours. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CommandContext } from "../../src/plugin/api.ts";
import { defineCommand } from "../../src/plugin/commands/command.ts";
import { REWIND } from "../../src/plugin/commands/rewind.ts";
import { TIMELINE } from "../../src/plugin/commands/timeline.ts";
import type { SessionMonitor } from "../../src/plugin/sessions/session-monitor.ts";
import { readArrival } from "../../src/timetravel/index.ts";
import { WorkspaceStore } from "../../src/workspace/index.ts";
import { State } from "./monitor-fixture.ts";

const KEY = "agent:main:talk";
const OPERATOR: CommandContext = {
  isAuthorizedSender: true,
  channel: "webchat",
  gatewayClientScopes: ["operator.admin"],
  sessionKey: KEY,
};

let nth = 0;
/** Rows of a conversation behind `parentId`, one after the other, a minute apart; their ids begin with the same letters. */
function makeRows(parentId: string | null, messages: readonly object[]): { id: string; text: string }[] {
  let parent = parentId;
  return messages.map((message) => {
    const id = `row${String(++nth).padStart(5, "0")}`;
    const timestamp = new Date(Date.UTC(2026, 10, 25, 14, nth)).toISOString();
    const text = `${JSON.stringify({ type: "message", id, parentId: parent, timestamp, message })}\n`;
    parent = id;
    return { id, text };
  });
}
const user = (text: string): object => ({ role: "user", content: [{ type: "text", text }] });
const says = (text: string): object => ({ role: "assistant", content: [{ type: "text", text }], stopReason: "stop" });
const calls = (id: string, command: string): object[] => [
  {
    role: "assistant",
    content: [{ type: "toolCall", id, name: "exec", arguments: { command } }],
    stopReason: "toolUse",
  },
  { role: "toolResult", toolCallId: id, toolName: "exec", content: [{ type: "text", text: "done" }], isError: false },
];
const HEADER = `${JSON.stringify({ type: "session", version: 3, id: "talk", timestamp: "2026-11-25T14:00:00.000Z", cwd: "/" })}\n`;

let state: State;
let monitor: SessionMonitor;
let file: string;
let last: string;

function begin(...messages: object[]): string[] {
  const rows = makeRows(null, messages);
  file = state.put("talk", `${HEADER}${rows.map(({ text }) => text).join("")}`);
  last = rows.at(-1)!.id;
  monitor = state.monitor();
  return rows.map(({ id }) => id);
}
/** The conversation goes on, as by OpenClaw. */
function goOn(...messages: object[]): void {
  const rows = makeRows(last, messages);
  appendFileSync(file, rows.map(({ text }) => text).join(""));
  last = rows.at(-1)!.id;
}
async function send(command: string, more: Partial<CommandContext> = {}): Promise<string> {
  const [, name = "", args = ""] = /^\/(\w+)\s*([^]*)$/.exec(command) ?? [];
  const definition = defineCommand(name === "rewind" ? REWIND : TIMELINE, () => monitor);
  return (await definition.handler({ ...OPERATOR, ...more, args })).text;
}
const stored = (): Record<string, unknown>[] =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const moves = () => stored().flatMap((row) => readArrival(row) ?? []);

beforeEach(() => {
  state = new State();
});
afterEach(() => state.remove());

describe("/rewind", () => {
  it("lists what was asked, shows what would change, does it once after a yes, gives the message back, and undoes it", async () => {
    const ids = begin(
      user("first question"),
      says("first answer"),
      user("second question\nin two lines"),
      ...calls("c1", "rm -r build"),
      says("second answer"),
      user("third question"),
      says("third answer"),
    );
    const before = readFileSync(file);
    const listed = await send("/rewind");
    expect(listed).toMatch(
      /^1\. 2026-11-25 \d\d:\d\d UTC; from there on 2 messages\n> `"third question"`\n2\. .*; from there on 4 messages and 1 tool call\n> `"second question in two lines"`\n3\. /m,
    );
    const looked = await send("/rewind 2 say it shorter");
    expect(looked).toMatch(/^To before the message of 2026-11-25 \d\d:\d\d UTC:\n> `"second question in two lines"`\n/);
    expect(looked).toContain("Messages that would no longer be part of the conversation: 6 (they stay stored).");
    expect(looked).toContain('Tool calls among them, which are not undone: exec 1.\n> `- exec "rm -r build"`');
    expect(looked).toMatch(/> `"say it shorter"`\nNothing is changed yet\. To do it: \/rewind 2 yes$/);
    expect(readFileSync(file)).toEqual(before);
    const done = await send("/rewind 2 yes");
    expect(done).toMatch(/^The conversation continues before the message of 2026-11-25 \d\d:\d\d UTC\./);
    expect(done).toContain("\n```\nsecond question\nin two lines\n```\nTo undo this: /rewind undo");
    expect(moves()).toMatchObject([
      { by: "operator", targetId: ids[1], departureId: ids.at(-1), note: "say it shorter" },
    ]);
    // Said twice it does nothing more; what was shown is used up.
    expect(await send("/rewind yes")).toContain("nothing to say yes to");
    expect(moves()).toHaveLength(1);
    expect(await send("/rewind undo")).toMatch(
      /^The conversation continues behind `row\d+` \(assistant, .*\n.*: 0 .*\nMessages that are part of it again: 6\./,
    );
    expect(moves().at(-1)).toMatchObject({ by: "operator", targetId: ids.at(-1) });
  });

  it("takes a short id, refuses one of several with the candidates and a number that is none, and asks nobody for a place without one", async () => {
    const ids = begin(user("first question"), says("first answer"), user("second question"), says("second answer"));
    expect(await send(`/rewind ${ids[1]}`)).toMatch(/^To before the message of .*\n> `"second question"`/);
    const ambiguous = await send("/rewind row0");
    expect(ambiguous).toContain('found "row0", with which 4 ids begin');
    for (const id of ids) expect(ambiguous).toContain(id);
    expect(await send("/rewind 3")).toContain("expected a number from 1 to 2; found 3");
    expect(await send("/rewind /etc/passwd")).toContain("A chat command accepts no path");
    expect(await send("/rewind yes")).toContain("nothing to say yes to");
    expect(moves()).toEqual([]);
  });

  it("a yes is bound to what was seen: the conversation that went on is shown anew, and a number keeps its message", async () => {
    begin(user("first question"), says("first answer"), user("second question"), says("second answer"));
    await send("/rewind");
    await send("/rewind 1");
    goOn(user("third question"), says("third answer"));
    const anew = await send("/rewind 1 yes");
    expect(anew).toMatch(/^The conversation has gone on since you looked, and nothing was changed\./);
    expect(anew).toContain('> `"second question"`\nMessages that would no longer be part of the conversation: 4 ');
    expect(moves()).toEqual([]);
    // An old list: the number is still the message that it stood for.
    goOn(user("fourth question"), says("fourth answer"));
    const old = await send("/rewind 2");
    expect(old).toMatch(/^The conversation has gone on since you looked/);
    expect(old).toContain('> `"first question"`');
    expect(await send("/rewind 2 yes")).toContain("\n```\nfirst question\n```\n");
    expect(moves()).toHaveLength(1);
    expect(await send("/rewind 2")).toContain("expected a number from 1 to 0");
  });

  it("two people in a group: the yes of one is no answer to what the other was shown", async () => {
    begin(user("first question"), says("first answer"), user("second question"), says("second answer"));
    const { gatewayClientScopes: _scopes, ...plain } = OPERATOR;
    const owner = (senderId: string): Partial<CommandContext> => ({
      ...plain,
      gatewayClientScopes: undefined as never,
      channel: "letterbox",
      senderId,
      from: "letterbox:group:g1",
      senderIsOwner: true,
      assertOwnerCurrent: () => undefined,
    });
    expect(await send("/rewind 1", owner("ann"))).toContain("/rewind 1 yes");
    expect(await send("/rewind yes", owner("bob"))).toContain("nothing to say yes to");
    expect(await send("/rewind 1 yes", owner("bob"))).toMatch(/^To before .*[^]*To do it: \/rewind 1 yes$/);
    expect(await send("/rewind 2 yes", owner("ann"))).toMatch(/^To before .*[^]*To do it: \/rewind 2 yes$/);
    expect(moves()).toEqual([]);
    // Somebody who is no owner is told nothing.
    expect(
      await send("/rewind", { ...owner("eve"), senderIsOwner: false, assertOwnerCurrent: undefined as never }),
    ).not.toContain("question");
    // A message that another one has taken out is no place any more.
    await send("/rewind", owner("bob"));
    await send("/rewind 2", owner("ann"));
    // Words of tools are not for a group: only their number is said.
    expect(await send("/rewind 2 yes", owner("ann"))).toContain("\n```\nfirst question\n```\n");
    expect(moves()).toHaveLength(1);
    expect(await send("/rewind 1", owner("bob"))).toContain("one that is no longer part of it");
  });

  it("words of messages pass neither for the list, the preview, the question, nor for markup", async () => {
    const list =
      '2. 2026-11-25 14:00 UTC; from there on 1 message\n> `"pay"`\nNothing is changed yet. To do it: /rewind 9 yes';
    const hostile = [
      list,
      "yes",
      "` `` ``` ![x](http://evil.example/x.png) **bold** [link](http://evil.example)",
      "```\nTo undo this: /rewind 7 yes\n```",
      "\u202e\u2066right to left\u2028To do it: /rewind 8 yes",
      "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
      "\u{1f469}\u200d\u{1f4bb}".repeat(200),
      "W".repeat(50_000),
      "   \n\t\n  ",
      "\u0000\u001b[2J\u001b]8;;http://evil.example\u0007click",
    ];
    begin(...hostile.flatMap((text) => [user(text), says(text)]));
    const listed = (await send("/rewind")).split("\n");
    const own =
      /^(?:\d+\. 2026-11-25 \d\d:\d\d UTC; from there on \d+ messages|What was asked .*|\/rewind 1 shows .*)$/;
    for (const line of listed) expect(line).toMatch(line.startsWith("> ") ? /^> (`+) ?".*" ?\1$/ : own);
    expect(listed.filter((line) => line.startsWith("> ")).length).toBeLessThanOrEqual(10);
    for (const line of listed) expect(line.length).toBeLessThan(700);
    for (let number = 1; number <= 9; number++) {
      const looked = (await send(`/rewind ${number}`)).split("\n");
      expect(looked.filter((line) => line.includes("To do it")).at(-1)).toMatch(
        /^Nothing is changed yet\. To do it: \/rewind \d yes$/,
      );
      for (const line of looked.slice(0, -1)) expect(line).not.toMatch(/^Nothing is changed|^To do it|^\d\. |^!\[/);
    }
    // Given back: between two fences that the text does not have.
    await send("/rewind 6");
    const back = (await send("/rewind 6 yes")).split("\n");
    const fence = back.find((line) => /^`{3,}$/.test(line))!;
    expect(fence).toBe("````");
    expect(back.filter((line) => line === fence)).toHaveLength(2);
    expect(back.at(-1)).toBe("To undo this: /rewind undo");
    // oxlint-disable-next-line no-control-regex
    expect(back.join("\n")).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e\u2028]/);
  });
});

describe("/rewind with files", () => {
  it("shows what comes back, what goes and what someone else changed, asks which version stays, and undoes it all", async () => {
    const workspace = join(state.directory, "work");
    mkdirSync(workspace);
    const write = (name: string, content: string): void => writeFileSync(join(workspace, name), content);
    const files = (): Record<string, string> =>
      Object.fromEntries(
        readdirSync(workspace)
          .toSorted()
          .map((name) => [name, readFileSync(join(workspace, name), "utf8")]),
      );
    const snapshots = WorkspaceStore.at(state.directory, workspace);
    write("mine.txt", "one\n");
    write("ours.txt", "one\n");
    const [call, result] = calls("c1", "make") as [object, object];
    const id = await snapshots.use(async ({ records, capture }) =>
      records.begin({ sessionId: "talk", sessionKey: KEY }, (await capture()).tree),
    );
    write("mine.txt", "two\n");
    write("ours.txt", "two\n");
    write("`new` **file**.txt", "new\n");
    await snapshots.use(async ({ records, capture }) =>
      records.end(id, (await capture()).tree, "call:c1|1780000000000"),
    );
    begin(
      user("first question"),
      says("first answer"),
      user("second question"),
      call,
      { ...result, timestamp: 1_780_000_000_000 },
      says("second answer"),
    );
    write("ours.txt", "somebody else\n");

    expect(await send("/rewind 1")).toContain(
      "Files stay as they are. With /rewind 1 files, 3 would be as they were at that place.",
    );
    const looked = await send("/rewind 1 files");
    expect(looked).toContain("whose other effects are not undone");
    expect(looked).toContain("Files that come back: 1\n> `mine.txt`\n");
    expect(looked).toMatch(/Files that go, because they were not there: 1\n> ``"`new` \*\*file\*\*\.txt"``\n/);
    expect(looked).toMatch(/Files that conflict, because someone else changed them since: 1\n> `ours\.txt`/);
    expect(looked).toMatch(/Say which version stays .*\/rewind 1 files theirs, or \/rewind 1 files ours/);
    // There is nothing to say yes to yet.
    expect(await send("/rewind yes")).toContain("nothing to say yes to");
    expect(await send("/rewind 1 files yes")).toContain("Say which version stays");
    expect(moves()).toEqual([]);
    const before = files();
    expect(await send("/rewind 1 files theirs")).toMatch(/To do it: \/rewind 1 files theirs yes$/);
    // Without files is another rewind: it is shown first.
    expect(await send("/rewind 1 yes")).toMatch(/To do it: \/rewind 1 yes$/);
    expect(files()).toEqual(before);
    await send("/rewind 1 files theirs");
    const done = await send("/rewind yes");
    expect(done).toContain("Files that came back: 1");
    expect(done).toContain("```\nsecond question\n```");
    expect(files()).toEqual({ "mine.txt": "one\n", "ours.txt": "somebody else\n" });
    expect(moves()).toMatchObject([{ by: "operator", files: "restore" }]);
    expect(await send("/rewind undo")).toContain("Messages that are part of it again: 4.");
    expect(files()).toEqual(before);
  });

  it("where no files are kept it says so, and goes back without them", async () => {
    begin(user("first question"), says("first answer"));
    expect(await send("/rewind 1 files")).toMatch(
      /^No files of this conversation are kept; they stay as they are\.[^]*To do it: \/rewind 1 yes$/,
    );
    expect(moves()).toEqual([]);
    expect(await send("/rewind 1 yes")).toContain("```\nfirst question\n```");
  });
});

describe("/timeline", () => {
  it("log lists the moves and quotes what was said; what no command of it is called is refused with those that are", async () => {
    const ids = begin(user("first `question`"), says("first answer"), user("second question"), says("second answer"));
    expect(await send("/timeline log")).toBe("There were no moves in this conversation.");
    await send("/rewind 1 with a **note**");
    await send("/rewind yes");
    expect(await send("/timeline log")).toMatch(
      new RegExp(
        `^Moves .*\\n.* UTC  the operator went from \`${ids[3]}\` to \`${ids[1]}\`, and went on with \`.*\`\\n> \`"with a \\*\\*note\\*\\*"\`$`,
      ),
    );
    expect(await send(`/timeline diff ${ids[3]}`)).toContain("expected /timeline, /timeline <how many places>");
    expect(await send("/timeline")).toContain('user  this turn  ``"first `question`"``');
  });

  it("fork makes a conversation of its own up to a place; the file that was forked stays as it is to the byte", async () => {
    const ids = begin(
      user("first question"),
      ...calls("c1", "rm -r build"),
      says("first answer"),
      user("second question"),
      says("second answer"),
    );
    const before = readFileSync(file);
    const said = await send(`/timeline fork ${ids[0]} another way`);
    expect(said).toContain("OpenClaw lists it as `another way`, with the key `agent:main:fork-");
    expect(readFileSync(file)).toEqual(before);
    const index = JSON.parse(readFileSync(join(state.sessions, "sessions.json"), "utf8")) as Record<
      string,
      Record<string, unknown>
    >;
    const [, key = ""] = /key `([^`]+)`/.exec(said)!;
    expect(index[key]).toMatchObject({ label: "another way", sessionFile: expect.stringMatching(/\.jsonl$/) });
    const rows = readFileSync(String(index[key]!["sessionFile"]), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows.map(({ type, id }) => (type === "message" ? id : type))).toEqual(["session", ids[0], "custom_message"]);
    expect(rows[0]).toMatchObject({ parentSession: file, cwd: "/" });
    // What was done behind the place is not undone in the new conversation either.
    expect(rows[2]).toMatchObject({
      parentId: ids[0],
      content: expect.stringContaining('> - exec "rm -r build"') as string,
    });
    expect(await send("/timeline fork root")).toContain("the place before the first message");
    expect(await send("/timeline fork")).toContain("expected /timeline fork <place>");
    expect(await send(`/timeline fork ${ids[0]} ${"l".repeat(61)}`)).toContain("a label of 1 to 60 characters");
    expect(await send(`/timeline fork ${ids[1]}`)).toContain("1 tool call has no result yet");
    expect(Object.keys(JSON.parse(readFileSync(join(state.sessions, "sessions.json"), "utf8")) as object)).toHaveLength(
      2,
    );
  });
});
