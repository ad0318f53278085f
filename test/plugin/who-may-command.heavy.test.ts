/**
 * Who may command, in the real gateway: each message goes through OpenClaw's own dispatcher and command execution.
 * Releases decide it differently: `OPENCLAW_RELEASES=2026.4.29,2026.5.5 npx vitest run
 * test/plugin/who-may-command.heavy.test.ts` runs it on others that are installed.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { result, says, user } from "../../harness/openclaw/samples.ts";
import { BASE_RELEASES, releasesFolder } from "../../harness/openclaw/releases.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import {
  FRIEND,
  GROUP,
  MAIN,
  MEMBER,
  OWNER,
  OWNER_IN_GROUP,
  OWNERS_ENTRY,
  say,
  settingsWithPeople,
  STRANGER,
} from "../../harness/gateway/people.ts";
import { patience } from "../../harness/patience.ts";

const RELEASES = process.env["OPENCLAW_RELEASES"]?.split(",") ?? BASE_RELEASES;
const CLIENTS = "agent:main:clients";
const OPERATOR = ["operator.read", "operator.write", "operator.admin"];

/** What a release tells a plugin of those who command. */
interface Told {
  /** The scopes of a client of the gateway, since 2026.3.24. */
  readonly scopes: boolean;
  /** Whether the sender is an owner, since 2026.5.5: OpenClaw refuses others by itself. */
  readonly owner: boolean;
  /** Since 2026.8: only who is configured by name is one. */
  readonly isStrict: boolean;
  /** In which chat the command was sent, since 2026.2.26, and in which conversation, since 2026.4.2. */
  readonly chat: boolean;
  readonly conversation: boolean;
}

const ALL = [
  "/l0-status",
  "/l0-scan",
  "/l0-scan all dry-run",
  "/l0-incidents",
  "/l0-checkpoints",
  "/l0-checkpoints all",
  "/l0-rollback nothing",
  "/timeline",
  `/timeline in:${MAIN}`,
  "/timeline words in:agent:main:main",
  `/rewind root in:${MAIN}`,
  `/rewind nowhere in:${MAIN}`,
  `/rewind in:${MAIN}`,
  `/rewind 1 in:${MAIN}`,
  `/rewind 1 yes in:${MAIN}`,
  "/rewind undo",
  `/timeline log in:${MAIN}`,
  `/timeline fork turn:-1 in:${MAIN}`,
];
/** Whatever a command that is answered says, and every word of the conversations. */
const ANSWERED = new RegExp(
  "Session integrity|Sessions?:|\\d+ sessions|all valid|No incidents|No checkpoints|Places of|continues|is at|What was asked|Nothing is changed|A new conversation|moves in this|" +
    "heron|kiosk|turns? back|agent:main|expected|stored conversations",
);
const REFUSED = /requires authorization|requires gateway scope: operator\.admin|for the owner of this OpenClaw/;

describe.each(RELEASES)(
  "who commands OpenClaw %s",
  (release) => {
    const root = join(releasesFolder(), release, "stock");
    const told = toldBy(release);
    let folder: string;
    let outside: string;
    let provider: StrictProvider;
    let gateway: Gateway;

    beforeAll(async () => {
      folder = newFolder();
      outside = join(folder, "outside.jsonl");
      writeFileSync(outside, toTranscript([user("the kiosk opens at nine"), says("at nine")], { seed: "outside" }));
      provider = await startProvider();
      gateway = await openGateway({
        root,
        release,
        providerUrl: provider.url,
        scopes: OPERATOR,
        ...settingsWithPeople(join(root, "node_modules", "openclaw", "dist"), []),
      });
      await gateway.seed(
        MAIN,
        toTranscript(
          [
            user("where does the heron nest"),
            says("the heron nests by the lake"),
            user("and the swan"),
            says("beside it"),
          ],
          { seed: "main" },
        ),
      );
      await gateway.seed(
        GROUP,
        toTranscript([user("when is the party"), says("on friday"), result("toolu_lost", "list of the guests")], {
          seed: "group",
        }),
      );
      await gateway.start();
    });
    afterAll(async () => {
      await gateway?.close();
      await provider?.close();
    });

    /** As the operator does it: the configuration is changed and the gateway started anew. */
    async function configure(owners: readonly string[]): Promise<void> {
      const file = join(gateway.stateDir, "openclaw.json");
      await gateway.kill();
      const config = JSON.parse(readFileSync(file, "utf8")) as { commands?: object };
      writeFileSync(file, JSON.stringify({ ...config, commands: { ...config.commands, ownerAllowFrom: owners } }));
      await gateway.start();
    }

    async function expectRefused(person: typeof OWNER): Promise<string> {
      const stored = JSON.stringify(await gateway.stored(MAIN));
      const answers: string[] = [];
      for (const command of ALL) answers.push(await say(gateway, person, command));
      for (const [at, answer] of answers.entries()) {
        expect(answer, `${person.senderId}: ${ALL[at]}`).toMatch(REFUSED);
        expect(answer, `${person.senderId}: ${ALL[at]}`).not.toMatch(ANSWERED);
      }
      expect(JSON.stringify(await gateway.stored(MAIN)), "the conversation is as it was").toBe(stored);
      return answers[0]!;
    }

    it("without a configured owner nobody on a channel is answered, and reads how to become one", async () => {
      const answers: Record<string, string> = {};
      for (const person of [OWNER, FRIEND, MEMBER, STRANGER]) answers[person.senderId] = await expectRefused(person);
      expect(answers[STRANGER.senderId]).toBe("⚠️ This command requires authorization.");
      // Where OpenClaw asks for an owner itself, and knows none, it answers in its own words.
      const isOurs = !told.isStrict;
      expect(answers[OWNER.senderId]).toBe(
        isOurs
          ? "This command is for the owner of this OpenClaw, and no owner is configured. If you are the owner, " +
              `run on the gateway's machine: openclaw config set commands.ownerAllowFrom '["letterbox:owner-1"]'. ` +
              "Then restart the gateway (openclaw gateway restart), unless it does so by itself."
          : "⚠️ This command requires gateway scope: operator.admin.",
      );
      if (!told.owner)
        expect(answers[MEMBER.senderId]).toContain(
          told.chat ? `'["<channel>:<your id there>"]'` : `'["letterbox:member-3"]'`,
        );
    });

    it("a client of the gateway commands by its scopes, and nowhere where the release does not tell them", async () => {
      // Answers to clients are stored, and 2026.2.3 hangs them on nothing: in a conversation that nothing else looks
      // at.
      const reader = await gateway.sendAs(["operator.read", "operator.write"], CLIENTS, `/timeline in:${MAIN}`);
      expect(`${reader.finalText}${reader.error ?? ""}`).toMatch(
        /operator\.admin|for operators|what a client of the gateway may do/,
      );
      const { finalText } = await gateway.send(CLIENTS, `/timeline in:${MAIN}`);
      if (told.scopes) expect(finalText).toMatch(/Places of this conversation.*`"the heron nests by the lake"`/s);
      else
        expect(finalText).toBe(
          "This command is for the owner of this OpenClaw, and this release does not report to a plugin what a " +
            "client of the gateway may do. Send it as the owner from a chat channel. Whoever administers the " +
            "gateway's machine can run `npx openclaw-integrity` there instead.",
        );
    });

    it("a message to a conversation that is called like a file leaves that file alone", async () => {
      const file = join(folder, "faulty.jsonl");
      const faulty = toTranscript([user("a question"), says("an answer"), result("toolu_lost", "of nothing")]);
      writeFileSync(file, faulty);
      // Whether OpenClaw takes such a name at all is its own affair.
      await gateway.sendAs(["operator.read", "operator.write"], file, "/timeline").catch(() => undefined);
      await say(gateway, FRIEND, "/timeline", file).catch(() => undefined);
      expect(readFileSync(file, "utf8")).toBe(faulty);
      expect(readdirSync(folder).filter((name) => name.startsWith("faulty"))).toEqual(["faulty.jsonl"]);
    });

    // "*" lets everybody command, to 2026.7 as the owner.
    describe.each([[[OWNERS_ENTRY]], [["*", OWNERS_ENTRY]]])("with commands.ownerAllowFrom %j", (owners) => {
      beforeAll(() => configure(owners));

      it("the owner is answered, and nobody else: no allowed sender, no member of a group, no stranger", async () => {
        for (const person of [FRIEND, MEMBER, STRANGER]) await expectRefused(person);
        expect(await say(gateway, OWNER, "/l0-status")).toMatch(
          /^Session integrity \(clawos-l0\)\nCore patch: NOT ACTIVE.*^Sessions: /ms,
        );
        expect(await say(gateway, OWNER, "/l0-scan all")).toMatch(/^\d sessions, \d read/);
        expect(await say(gateway, OWNER, "/l0-incidents")).toMatch(/a tool result without a call|No incidents/);
        expect(await say(gateway, OWNER, "/l0-checkpoints all")).toMatch(/No checkpoints/);
        const listed = await say(gateway, OWNER, `/timeline in:${MAIN}`);
        expect(listed).toMatch(/^Places of this conversation.*1 turn back/s);
        // Where nobody can tell who reads the answer, the words have to be asked for.
        if (told.chat) expect(listed).toContain('`"the heron nests by the lake"`');
        else expect(listed).toMatch(/^(?!.*heron).*First words are left out/s);
        expect(await say(gateway, OWNER, `/timeline words in:${MAIN}`)).toContain('`"the heron nests by the lake"`');
        expect(await say(gateway, OWNER, `/timeline words in:${GROUP}`)).toContain('`"on friday"`');
        expect(await say(gateway, OWNER, `/rewind nowhere in:${MAIN}`)).toMatch(
          told.chat ? /expected a place of this session.*heron/s : /^(?!.*heron).*expected a place of this session/s,
        );
      });

      it("no path is looked at for a chat, so that nobody learns by it what is there", async () => {
        for (const there of [outside, join(gateway.stateDir, "agents", "main", "sessions", "sessions.json")]) {
          const missing = join(folder, "missing.jsonl");
          for (const command of [
            (path: string) => `/timeline in:${path}`,
            (path: string) => `/timeline words in:${path}`,
            (path: string) => `/rewind root in:${path}`,
            (path: string) => `/rewind ${path}`,
            (path: string) => `/l0-checkpoints ${path}`,
            (path: string) => `/l0-rollback ${path}`,
          ]) {
            const answer = await say(gateway, OWNER, command(there));
            expect(answer, command(there)).toMatch(/found a path\. A chat command accepts no path/);
            expect(answer).toBe(await say(gateway, OWNER, command(missing)));
          }
        }
        expect(await say(gateway, OWNER, "/l0-status\n")).not.toContain(gateway.stateDir);
        expect(await say(gateway, OWNER, "/l0-rollback nothing")).not.toContain(gateway.stateDir);
        expect(await say(gateway, OWNER, "/l0-incidents")).not.toContain(gateway.stateDir);
      });

      it("in a group the owner is shown nothing of other conversations, nor what tools gave in its own", async () => {
        const ofOthers = [
          `/timeline in:${MAIN}`,
          `/rewind nowhere in:${MAIN}`,
          `/rewind 1 in:${MAIN}`,
          `/timeline fork turn:-1 in:${MAIN}`,
          "/l0-checkpoints all",
          "/l0-scan dry-run",
          "/l0-incidents",
        ];
        for (const command of ofOthers) {
          const answer = await say(gateway, OWNER_IN_GROUP, command);
          expect(answer, command).not.toMatch(/heron|guests|agent:main/);
          // 2026.2.3 does not say that this is a group; then no word is shown that is not asked for.
          if (told.chat) expect(answer, command).toMatch(/^Others read this chat/);
        }
        const own = await say(gateway, OWNER_IN_GROUP, told.conversation ? "/timeline words" : `/timeline in:${GROUP}`);
        expect(own).toMatch(
          told.conversation
            ? /`"on friday"`/
            : told.chat
              ? /^Others read this chat/
              : /^(?!.*friday)Places of this conversation/s,
        );
        expect(own).not.toMatch(/guests|heron/);
        expect(await say(gateway, OWNER_IN_GROUP, "/l0-rollback nothing")).not.toMatch(/continues from/);
      });
    });
  },
  patience(600_000),
);

function toldBy(release: string): Told {
  const [, month = 0, patch = 0] = release.split(".").map(Number);
  const since = (wanted: number, least: number): boolean => month > wanted || (month === wanted && patch >= least);
  return {
    scopes: since(3, 24),
    chat: since(2, 26),
    conversation: since(4, 2),
    owner: since(5, 5),
    isStrict: since(8, 1),
  };
}
