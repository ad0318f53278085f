import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { corpusTranscripts, showCheckup, State } from "../../test/doctor/state.ts";
import { assistant, result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript, type StoredMessage } from "../../harness/openclaw/transcript.ts";
import { journalFile, openJournal } from "../journal/index.ts";
import { isObject } from "../transcript/json/json.ts";
import { html } from "./html/markup.ts";
import { SCRIPT } from "./html/search.ts";
import { STYLE } from "./html/style.ts";
import { renderCheckupPage, reportLines, type CheckedSession, type Checkup } from "./index.ts";
import { judgeSeverity, SEVERITIES } from "./severity.ts";

const MEGABYTE = 1024 * 1024;

/** Where a text is found, for a failure that can be read. */
const around = (shown: string, text: string): string =>
  shown.includes(text) ? shown.slice(Math.max(0, shown.indexOf(text) - 200), shown.indexOf(text) + 100) : "";

describe("no word of a conversation without being asked", () => {
  /** What a report may name: kinds, names, ids, times. */
  const NAMING =
    /^(?:type|role|id|parentId|timestamp|customType|firstKeptEntryId|targetId|appendMode|name|toolName|tool_name|toolCallId|tool_call_id|tool_use_id|toolUseId|call_id|api|provider|model|modelId|stopReason|mimeType|media_type|version)$/;
  const planted = (value: unknown, key = "", isArgument = false): unknown => {
    if (typeof value === "string") return isArgument || !NAMING.test(key) ? `PLANTED ${value}` : value;
    if (Array.isArray(value)) return value.map((item) => planted(item, "", isArgument));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        planted(item, name, isArgument || /^(?:arguments|input|args)$/.test(name)),
      ]),
    );
  };
  const plantedIn = (transcript: string): string =>
    transcript
      .split("\n")
      .map((line) => {
        try {
          const row: unknown = JSON.parse(line);
          return JSON.stringify(isObject(row) && row.type !== "session" ? planted(row) : row);
        } catch {
          return line.trim() === "" ? line : `PLANTED ${line}`;
        }
      })
      .join("\n");

  test("in none of the corpus, whatever is wrong with it; and in it when it is asked for", async () => {
    const state = new State();
    const transcripts = corpusTranscripts();
    for (const [id, transcript] of transcripts) state.put(id, plantedIn(transcript));
    let [samples, asked] = [0, 0];
    for (const [at, [only]] of transcripts.entries()) {
      expect(around(showCheckup(await state.check({ only })), "PLANTED"), only).toBe("");
      // The marker has to be where it could be seen; a sample shows that.
      if (at % 5 !== 0) continue;
      samples++;
      if (showCheckup(await state.check({ only, withWords: true }), true).includes("PLANTED")) asked++;
    }
    expect(asked).toBeGreaterThan(samples * 0.9);
    const all = await state.check();
    expect(around(showCheckup(all) + JSON.stringify(all), "PLANTED")).toBe("");
  });

  test("nor of an incident: what is no word of ours is not repeated", async () => {
    const state = new State();
    state.put("s", toTranscript([user("go")]));
    state.incident("l0-incident-2026-11-20T08-12-44-120Z.json", {
      timestamp: "2026-11-20T08:12:44.120Z",
      sessionId: "s",
      issues: [{ type: "PLANTED words", description: "PLANTED", messageIndex: 1 }, { type: "orphaned_tool_result" }],
      action: "PLANTED it",
      text: "PLANTED",
    });
    state.incident("integrity-incident-2026-11-21T08-12-44-120Z.json", {
      at: "2026-11-21T08:12:44.120Z",
      sessionId: "s",
      outcome: "answered",
      steps: [{ failure: "history", problem: "PLANTED words", rung: "PLANTED too", text: "PLANTED" }],
    });
    const shown = showCheckup(await state.check({ withWords: true }), true);
    expect(shown).not.toContain("PLANTED");
    expect(shown).toContain("a tool result without a call");
    expect(shown).toContain("healed and answered in the same turn");
  });
});

describe("nothing from a transcript can act on the page or on the terminal", () => {
  const HOSTILE = [
    `<script>alert(1)</script>`,
    `"><img src=x onerror=alert(1)>`,
    `' onclick='alert(1)`,
    "</style><script>",
    "]]>-->",
    "\u202egnp.exe\u202c",
    "\u0007\u001b[31mred\u001b[0m\u009b2J",
    "\u2066x\u2069\u200f",
    "a\nb\rc\td\u2028e",
    "&lt;script&gt;",
    "`${1}`",
    "\ud800 half",
    "javascript:alert(1)",
    "x".repeat(5000),
  ];
  const everywhere = (text: string): StoredMessage[] => [
    { ...user(text), [text]: text },
    {
      ...assistant({ type: "toolCall", id: text, name: text, arguments: { [text]: text } }, "toolUse"),
      model: text,
      provider: text,
    },
    { ...result(text, text), toolName: text },
    { ...result(`${text}-lost`, text), toolName: text },
    { role: text, content: [{ type: text, id: text, name: text, text }] },
    { role: "assistant", content: [{ type: "thinking", thinking: text }, { type: text }], stopReason: text },
    { role: "assistant", content: text, stopReason: "aborted" },
  ];

  async function hostile(text: string): Promise<[page: string, report: string]> {
    const state = new State();
    const rows = [
      { type: "compaction", id: `${text}c`, parentId: null, summary: text, firstKeptEntryId: text },
      { type: text, id: text, parentId: text },
      {
        type: "custom_message",
        customType: "openclaw-integrity",
        id: `${text}n`,
        parentId: null,
        timestamp: text,
        content: text,
        details: { checkpointId: text },
      },
      { type: "model_change", id: `${text}m`, parentId: `${text}n`, modelId: text },
    ];
    const name = `s ${text.replaceAll(/[/\0]/g, "").slice(0, 60).toWellFormed()}`;
    state.put(
      name,
      `${toTranscript(everywhere(text))}${rows.map((row) => `${JSON.stringify(row)}\n`).join("")}${text}\n`,
      `agent ${text.replaceAll(/[/\0]/g, "").slice(0, 40).toWellFormed()}`,
    );
    writeFileSync(join(state.folder(), "sessions.json"), JSON.stringify({ [text]: { sessionId: text } }));
    state.put("keyed", toTranscript(everywhere(text)));
    state.index({ [`agent:main:${text}`]: "keyed" });
    state.incident("l0-incident-1.json", {
      timestamp: text,
      sessionId: "keyed",
      sessionKey: text,
      issues: [{ type: text, toolUseId: text, description: text }],
      action: text,
      archive: text,
    });
    state.incident("integrity-incident-2.json", {
      at: 9e99,
      sessionId: text,
      outcome: text,
      steps: [{ failure: text, problem: text, rung: text }],
    });
    state.put(`${name}.jsonl.integrity-0123456789ab.bak`, text);
    const journal = openJournal(journalFile(state.directory));
    journal.checkpoints.create({
      sessionId: "keyed",
      operation: "manual",
      messageIndex: 1,
      contentHash: text,
      firstEntryId: text,
      leafEntryId: text,
    });
    journal.close();
    const checkup = await state.check({ withWords: true });
    return [renderCheckupPage(checkup, { withWords: true }), reportLines(checkup, 100).join("\n")];
  }

  /** Tags and attributes that the page is made of; a name within text never becomes one. */
  const TAGS = new Set(
    "!doctype html head meta title style body main script h1 h2 h4 p ul ol li b code div span small i br a bdi details summary dl dt dd figure figcaption svg rect label input output".split(
      " ",
    ),
  );
  const ATTRIBUTES =
    /^(?:\s+(?:html|lang="en"|charset="utf-8"|open|hidden|(?:class|id|title|role|aria-hidden|aria-labelledby|name|content|http-equiv|for|type|autocomplete|spellcheck|placeholder|viewBox|preserveAspectRatio|x|y|width|height)="[^"<>]*"|href="#(?:s\d+(?:m\d+)?|bricks|loses|unread|harmless|sound)"))*\s*$/i;
  const foreignMarkup = (page: string): string[] =>
    [
      ...page
        .slice(0, page.indexOf("</html>"))
        .replace(/<style>[\s\S]*?<\/style>/, "")
        .replace(`<script>${SCRIPT.text}</script>`, "")
        .matchAll(/<\/?([^\s>]*)([^>]*)>/g),
    ]
      .filter(([, tag, attributes]) => !TAGS.has(tag!.toLowerCase()) || !ATTRIBUTES.test(attributes!))
      .map(([whole]) => whole);
  const UNSEEN = /[^\P{Cc}\n]|[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\u2028\u2029]|\p{Cs}/u;

  it.each(HOSTILE)("%j as id, name, role, type, key, agent, file and field", async (text) => {
    const [page, report] = await hostile(text);
    expect(foreignMarkup(page)).toEqual([]);
    for (const shown of [page, report])
      for (const what of [UNSEEN, /x{300}/])
        expect(around(shown, what.exec(shown)?.[0] ?? "\0"), String(what)).toBe("");
    expect(
      page.replace(`<script>${SCRIPT.text}</script>`, "").match(/<script|<img|\son\w+="|href="[^#]|<[^>]*\ssrc=/gi),
    ).toBeNull();
  });

  it("any text: what is put into a page reads the same and is markup nowhere", () => {
    const unescape = (text: string): string =>
      text
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&quot;", '"')
        .replaceAll("&#39;", "'")
        .replaceAll("&#96;", "`")
        .replaceAll("&amp;", "&");
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.string({ unit: fc.constantFrom(..."<>&\"'`=/ abc") }),
        (one, other) => {
          const { text } = html`<p title="${one}">${other}</p>`;
          expect(text.slice(1, -4)).not.toMatch(/^p title="[^"]*[<>][^"]*"/);
          expect(unescape(text.slice(text.indexOf('">') + 2, -4))).toBe(other);
          expect(text).not.toMatch(UNSEEN);
        },
      ),
    );
  });
});

describe("the page stays small, and says what it leaves out", () => {
  const long = (turns: number, turn: (nth: number) => StoredMessage[]): string =>
    toTranscript(Array.from({ length: turns }, (_, nth) => turn(nth)).flat());
  const sound = (nth: number): StoredMessage[] => [
    user(`question ${nth}`),
    assistant({ type: "toolCall", id: `toolu_${nth}`, name: "exec", arguments: { nth } }, "toolUse"),
    result(`toolu_${nth}`, "done"),
    says("yes"),
  ];
  const faulty = (nth: number): StoredMessage[] => [
    user(`question ${nth}`),
    says("yes"),
    result(`toolu_${nth}`, "of nothing"),
    user("and?"),
  ];

  test("of ten thousand sound entries a few lines are drawn", async () => {
    const state = new State();
    state.put("long", long(2500, sound));
    const page = renderCheckupPage(await state.check(), { withWords: false });
    expect(page.length).toBeLessThan(MEGABYTE / 20);
    expect(page).toMatch(/… 9,99\d valid messages/);
    expect(page).toContain("exec 2500");
  });

  test("of ten thousand entries with thousands of faults some, and how many are left out with how many faults", async () => {
    const state = new State();
    state.put("long", long(2500, faulty));
    for (const only of [undefined, "long"]) {
      const page = renderCheckupPage(await state.check(only === undefined ? {} : { only }), { withWords: false });
      expect(page.length).toBeLessThan(3 * MEGABYTE);
      const [, messages, faults] =
        /<b>([\d,]+) messages left out here<\/b>[^<]*<span class="bad">with ([\d,]+) faults/.exec(page) ?? [];
      const drawn = page.match(/<li id="s0m\d+"/g)!.length;
      const shown = page.match(/✗ a tool result without a call/g)!.length;
      expect(Number(messages!.replace(",", "")) + drawn).toBe(10_000);
      expect(Number(faults!.replace(",", "")) + shown).toBe(2500);
    }
  });

  test("of a hundred long sessions as many as fit are drawn, those with faults first", async () => {
    const state = new State();
    for (let nth = 0; nth < 60; nth++) state.put(`faulty-${nth}`, long(100, faulty));
    for (let nth = 0; nth < 60; nth++) state.put(`sound-${nth}`, long(3, sound));
    const checkup = await state.check();
    const page = renderCheckupPage(checkup, { withWords: false });
    expect(page.length).toBeLessThan(3 * MEGABYTE);
    const drawn = checkup.sessions.filter(({ drawing }) => drawing);
    expect(drawn.length).toBeGreaterThan(5);
    expect(drawn.every(({ session }) => session.sessionId.startsWith("faulty-"))).toBe(true);
    // What is left out is said above the list.
    const said = page.indexOf(`the conversations of ${120 - drawn.length} are not drawn`);
    expect(said).toBeGreaterThan(0);
    expect(said).toBeLessThan(page.indexOf('<li class="s"'));
    expect(page.match(/<li class="s"/g)).toHaveLength(120);
  });
});

describe("the list of all sessions", () => {
  const idsIn = (page: string): string[] =>
    [...page.matchAll(/<li class="s"[\s\S]*?<\/b><code>([^<]*)<\/code>/g)].map(([, id]) => id!);
  const FAULTS: Readonly<Record<string, StoredMessage[]>> = {
    bricks: [
      user("go"),
      assistant({ type: "toolCall", id: "t", name: "exec", arguments: {} }, "error"),
      result("t", "x"),
    ],
    loses: [user("go"), says("yes"), result("toolu_lost", "of nothing"), user("and?")],
    sound: [user("go"), says("yes")],
    harmless: [
      user("go"),
      assistant({ type: "toolCall", id: "t", name: "exec", arguments: {} }, "toolUse"),
      user("well?"),
    ],
  };
  const uuid = (nth: number): string => `${String(nth).padStart(8, "0")}-0000-4000-8000-${"0".repeat(12)}`;

  async function checkState(count: number): Promise<Checkup> {
    const state = new State();
    const kinds = Object.keys(FAULTS);
    for (let nth = 0; nth < count; nth++)
      state.put(uuid(nth), toTranscript(FAULTS[kinds[nth % kinds.length]!]!, { seed: uuid(nth) }));
    state.index({ "agent:main:main": uuid(0) });
    return state.check();
  }

  test("310 sessions: each once, by its full id, the worst first, and none is open", async () => {
    const checkup = await checkState(310);
    const page = renderCheckupPage(checkup, { withWords: false });
    const ids = idsIn(page);
    expect(ids.toSorted()).toEqual(Array.from({ length: 310 }, (_, nth) => uuid(nth)));
    const severities = new Map(checkup.sessions.map((one) => [one.session.sessionId, judgeSeverity(one)]));
    const order = ids.map((id) => SEVERITIES.indexOf(severities.get(id)!));
    expect(new Set(order).size).toBe(4);
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    expect(page).not.toMatch(/<li class="s"[^>]*><details open>/);
    // Without a script all is there and can be opened; only the search is missing.
    expect(page).toContain('<details class="group" id="bricks" open>');
    expect(page).toContain('<details class="group" id="sound">');
    expect(page).toContain('<div id="find" hidden>');
    expect(page.match(/ hidden/g)).toHaveLength(
      1 + SCRIPT.text.split(" hidden").length - 1 + STYLE.text.split(" hidden").length - 1,
    );
    expect(page).toMatch(
      /<title id="whole">310 sessions: 78 can get stuck, 78 can lose content, 77 with harmless faults, 77 valid<\/title>/,
    );
  });

  test("the picture shows one session of thousands", async () => {
    const { sessions, ...checkup } = await checkState(4);
    const sound = sessions.find((one) => judgeSeverity(one) === "sound")!;
    const bad = sessions.find((one) => judgeSeverity(one) === "bricks")!;
    const many: CheckedSession[] = [...Array.from({ length: 5000 }, () => sound), bad];
    const page = renderCheckupPage({ ...checkup, sessions: many }, { withWords: false });
    const widths = [...page.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));
    expect(widths).toHaveLength(2);
    expect(widths[0]).toBeGreaterThan(10);
    expect(widths[0]! + widths[1]!).toBeLessThanOrEqual(1000);
  });

  test("work and size grow linearly with the sessions, counted in reads of them", async () => {
    const { sessions, ...checkup } = await checkState(8);
    const measureWork = (count: number): [reads: number, size: number] => {
      let reads = 0;
      const many = Array.from(
        { length: count },
        (_, at) =>
          new Proxy({ ...sessions[at % 8]!, drawing: undefined } as unknown as CheckedSession, {
            get: (target, name) => {
              reads++;
              return Reflect.get(target, name) as unknown;
            },
          }),
      );
      const { length } = renderCheckupPage({ ...checkup, sessions: many }, { withWords: false });
      return [reads, length];
    };
    const [reads, size] = measureWork(1250);
    const [moreReads, moreSize] = measureWork(5000);
    expect(moreReads / reads).toBeLessThan(4.2);
    expect(moreSize / size).toBeLessThan(4.2);
    expect(moreSize).toBeLessThan(4 * MEGABYTE);
  });

  test("whether OpenClaw is patched comes before everything, with what the faults mean under it", async () => {
    const { openclaws: _, ...checkup } = await checkState(4);
    const shown = (patched: NonNullable<Checkup["openclaws"]>[number]["patched"]): string =>
      renderCheckupPage(
        { ...checkup, openclaws: [{ release: "2026.9.6", root: "/<b>", patched }] },
        { withWords: false },
      );
    const not = shown("no");
    expect(not.indexOf("OpenClaw 2026.9.6 is not patched.")).toBeLessThan(not.indexOf("<figure>"));
    expect(not).toContain("/&lt;b&gt;");
    expect(not).toContain("openclaw-integrity setup");
    expect(not).not.toContain("it heals them in each request");
    for (const how of ["files", "memory"] as const) expect(shown(how)).toContain("it heals them in each request");
    // The same faults are harmless to a release that keeps its sessions in a database.
    expect(
      judgeSeverity(
        checkup.sessions.find(({ session }) => session.sessionId === uuid(1))!,
        "2026.9.6",
      ),
    ).toBe("harmless");
  });
});

test("a command stays whole and can be copied, the search comes before all commands, and no row says what all say", async () => {
  const state = new State();
  for (const id of ["a", "b", "c"]) state.put(id, toTranscript([user("go"), says("yes"), result("toolu_lost", "x")]));
  const page = renderCheckupPage({ ...(await state.check()), openclaws: [] }, { withWords: false });
  const body = page.slice(page.indexOf("<main>"), page.indexOf("<script>"));
  expect(body).toContain('sessions repair <span class="option">--all</span></code>');
  expect(body.indexOf('id="find"')).toBeLessThan(body.indexOf('class="command"'));
  // A page without scripts has no button that does nothing.
  expect([body.includes("<button"), SCRIPT.text.includes('createElement("button")')]).toEqual([false, true]);
  const sentences = [...body.matchAll(/<p(?: class="soft")?>([^<\d]{20,})<\/p>/g)].map(([, sentence]) => sentence);
  expect(sentences).toEqual([...new Set(sentences)]);
});

test("nothing is red where the patch repairs all faults, and nothing has to be done", async () => {
  const state = new State();
  for (const id of ["a", "b"]) state.put(id, toTranscript([user("go"), says("yes"), result("toolu_lost", "x")]));
  const openclaws = [{ release: "2026.9.6", root: "/o", patched: "files" as const }];
  const checkup = await state.check();
  const body = (one: Checkup): string => /<main>[^]*<\/main>/.exec(renderCheckupPage(one, { withWords: false }))![0];
  const patched = body({ ...checkup, openclaws });
  expect(patched).toContain("nothing has to be done");
  expect(patched).not.toContain("next alarm");
  expect(patched).toContain('<figure class="healed">');
  expect(body(checkup)).toContain("next alarm");
  expect(body(checkup)).toContain("<figure>");
});

test("the page permits its style and its script by their hashes, and nothing else", async () => {
  const state = new State();
  state.put("s", toTranscript([user("go")]));
  const page = renderCheckupPage(await state.check(), { withWords: false });
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)![1]!;
  const hashTag = (tag: string): string => {
    const text = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(page)![1]!;
    return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  };
  expect(policy.split("; ")).toEqual([
    "default-src 'none'",
    `style-src ${hashTag("style")}`,
    `script-src ${hashTag("script")}`,
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).not.toMatch(/\sstyle="/);
  expect(SCRIPT.text).not.toMatch(/innerHTML|insertAdjacent|document\.write|eval|fetch|import|Function/);
});
