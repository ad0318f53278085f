/** `timeline fork`: a new conversation from a place, answered by the real gateways; the other session is only read. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { asOperator, OWNERS_ENTRY, settingsWithPeople } from "../../harness/gateway/people.ts";
import { makeHome, toTranscript } from "../../harness/openclaw/index.ts";
import { BASE_RELEASES, releasesFolder } from "../../harness/openclaw/releases.ts";
import { makeMessages, PLACE, WORDS, wordsIn } from "../../harness/openclaw/travelling.ts";
import { patience } from "../../harness/patience.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { newFolder } from "../../harness/temporary.ts";
import { openCatalog } from "../../src/store/index.ts";
import { cli, userEnvironment, type Run } from "./fixture.ts";

const KEY = "agent:main:main";
const FIRST_TURN = ["question-one", "alpha-content", "beta-content", "answer-one"];

describe.each(BASE_RELEASES)(
  "with OpenClaw %s",
  (release) => {
    const hasRows = release === "2026.9.6";
    let provider: StrictProvider;
    let home: string;
    let gateway: Gateway;
    const releaseRoot = (variant: string): string => join(releasesFolder(), release, variant);
    const open = async (variant: "patched" | "stock"): Promise<Gateway> => {
      const root = releaseRoot(variant);
      const people = settingsWithPeople(join(root, "node_modules", "openclaw", "dist"), [OWNERS_ENTRY]);
      const scopes = ["operator.read", "operator.write", "operator.admin"];
      return openGateway({ root, release, providerUrl: provider.url, home, scopes, ...people });
    };
    const fork = (...args: string[]): Run =>
      cli(
        [
          "timeline",
          "fork",
          KEY,
          ...args,
          "--path",
          join(releaseRoot("patched"), "node_modules", "openclaw"),
          "--json",
        ],
        newFolder(),
        {
          ...userEnvironment(newFolder()),
          OPENCLAW_STATE_DIR: gateway.stateDir,
        },
      );
    /** What is stored of the conversation that was forked, and its record. */
    const source = async (): Promise<string> => {
      const rows = JSON.stringify(await gateway.stored(KEY));
      const sessions = join(gateway.stateDir, "agents", "main", "sessions");
      const files =
        hasRows || !existsSync(sessions)
          ? []
          : readdirSync(sessions)
              .filter((name) => name.endsWith(".jsonl"))
              .toSorted();
      const first = files
        .map((name) => readFileSync(join(sessions, name), "utf8"))
        .find((text) => text.includes("question-three"));
      return createHash("sha256")
        .update(rows)
        .update(first ?? "")
        .digest("hex");
    };
    const conversations = () => {
      const catalog = openCatalog(gateway.stateDir);
      try {
        return catalog.list().sessions.map((session) => ({ ...session, rows: catalog.read(session).rows }));
      } finally {
        catalog.close();
      }
    };

    beforeAll(async () => {
      provider = await startProvider();
      home = await makeHome(`fork-${release}-`);
      gateway = await open("patched");
      await gateway.seed(KEY, toTranscript(makeMessages("anthropic-messages")));
      await gateway.start();
      await gateway.send(KEY, "question-four");
      // 2026.9.6 tidies its rows for a moment after a turn.
      await sleep(1000);
    });
    afterAll(async () => {
      await gateway?.close();
      await provider?.close();
    });

    it("in chat and by the command line: the new conversation is answered, patched and unpatched, and the other one stays as it is", async () => {
      const said = await asOperator(gateway, KEY, `/timeline fork ${PLACE.firstAnswer} from the chat`);
      expect(said).toMatch(
        /^A new conversation begins with what was said up to `\w+` \(\d messages\)\. This one stays as it is\.\n/,
      );
      // 2026.2.3 does not tell who reads the answer, which then names no key.
      expect(said.includes("agent:main")).toBe(hasRows);
      const [, id = ""] = /session is `([\w-]+)`/.exec(said) ?? [];
      const inChat =
        /key `([^`]+)`/.exec(said)?.[1] ?? conversations().find(({ sessionId }) => sessionId === id)!.sessionKey!;
      await gateway.kill();
      const before = await source();
      const dry = fork(PLACE.secondAnswer, "--dry-run");
      expect(dry).toMatchObject({ status: 0, data: { action: "would-fork", from: { entryId: PLACE.secondAnswer } } });
      const done = fork(PLACE.secondAnswer, "--label", "second try", "--note", "in Rust");
      expect(done).toMatchObject({
        status: 0,
        data: { action: "forked", label: "second try", messages: expect.any(Number) as number },
      });
      const byCli = String(done.data["sessionKey"]);
      expect(await source()).toBe(before);
      expect(fork("root")).toMatchObject({ status: 1, data: { code: "bad-target" } });
      expect(fork(PLACE.openCalls)).toMatchObject({ status: 1, data: { code: "not-closed" } });

      const asked = [
        ["stock", inChat, FIRST_TURN, []],
        ["patched", byCli, WORDS.slice(0, 6), ["in Rust"]],
      ] as const;
      for (const [variant, key, stays, more] of asked) {
        await gateway.kill();
        gateway = await open(variant);
        await gateway.start();
        expect((await gateway.send(key, `question-${variant}`)).finalText).toMatch(/^ok/);
        const request = provider.requests.at(-1);
        expect(request?.status).toBe(200);
        expect(
          wordsIn(request, [
            ...WORDS,
            "question-four",
            "in Rust",
            `question-${variant}`,
            "The operator has made this conversation",
          ]),
        ).toEqual([...stays, ...more, `question-${variant}`, "The operator has made this conversation"]);
        expect(JSON.stringify(await gateway.request("sessions.list", {}))).toContain(
          variant === "stock" ? "from the chat" : "second try",
        );
      }
      // The conversation that was forked goes on where it was.
      expect((await gateway.send(KEY, "question-last")).finalText).toMatch(/^ok/);
      expect(wordsIn(provider.requests.at(-1), [...WORDS, "question-four", "question-stock", "question-last"])).toEqual(
        [...WORDS, "question-four", "question-last"],
      );
      await gateway.kill();
    });

    it("kill -9 at any moment leaves no half conversation: none, a whole one, or an empty one that says what it is", async () => {
      const before = await source();
      const args = [
        MAIN,
        "timeline",
        "fork",
        KEY,
        PLACE.secondAnswer,
        "--label",
        "killed",
        "--path",
        join(releaseRoot("patched"), "node_modules", "openclaw"),
      ];
      const known = new Set(conversations().map(({ sessionId }) => sessionId));
      const whole = Number(process.env["FORK_KILLS"] ?? 12);
      const began = performance.now();
      await new Promise((resolve) =>
        spawn(process.execPath, args, {
          env: { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: gateway.stateDir },
          stdio: "ignore",
        }).on("exit", resolve),
      );
      const takes = performance.now() - began;
      for (let kill = 0; kill < whole; kill++) {
        const child = spawn(process.execPath, args, {
          env: { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: gateway.stateDir },
          stdio: "ignore",
        });
        const ended = new Promise((resolve) => child.on("exit", resolve));
        await sleep(takes * (0.35 + (0.65 * kill) / whole));
        child.kill("SIGKILL");
        await ended;
      }
      const made = conversations().filter(({ sessionId, isCurrent }) => !known.has(sessionId) && isCurrent);
      expect(made.length).toBeGreaterThan(0);
      const said = made.map(({ rows }) =>
        wordsIn({ raw: JSON.stringify(rows) } as never, [...WORDS, "The operator has made"]),
      );
      for (const words of said)
        expect(
          [[], [...WORDS.slice(0, 7).filter((word) => !word.includes("three")), "The operator has made"]].map(String),
        ).toContain(String(words));
      expect(await source()).toBe(before);
      gateway = await open("patched");
      await gateway.start();
      const { sessions } = (await gateway.request("sessions.list", {})) as {
        sessions: { key: string; label?: string }[];
      };
      const unfinished = made
        .filter(({ rows }) => !JSON.stringify(rows).includes("question-one"))
        .map(({ sessionKey }) => sessionKey);
      for (const { key, label } of sessions) if (unfinished.includes(key)) expect(label).toMatch(/unfinished/);
      const [any] = made.filter(({ rows }) => JSON.stringify(rows).includes("question-one"));
      expect((await gateway.send(any!.sessionKey!, "question-killed")).finalText).toMatch(/^ok/);
      // An empty one is harmless: it is answered as a new conversation.
      if (unfinished[0] !== undefined)
        expect((await gateway.send(unfinished[0], "question-empty")).finalText).toMatch(/^ok/);
      await gateway.kill();
    });
  },
  patience(600_000),
);
