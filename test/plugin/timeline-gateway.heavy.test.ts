/** `/timeline` and `/rewind` in a chat of the real gateway, and OpenClaw's own branches beside them. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findSummary, openCatalog } from "../../src/store/index.ts";
import { readArrival, NodeHashes, textOfNode, type History } from "../../src/timetravel/index.ts";
import { openTimelineIndex, timelineIndexFile } from "../../src/timetravel/timeline-index/index.ts";
import { type StoredTimeline, withStoredTimeline } from "../../src/timetravel/stored.ts";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { BASE_RELEASES, releasesFolder } from "../../harness/openclaw/releases.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { asOperator, OWNERS_ENTRY, settingsWithPeople } from "../../harness/gateway/people.ts";
import { patience } from "../../harness/patience.ts";

const KEY = "agent:main:main";
const OPERATOR = ["operator.read", "operator.write", "operator.admin"];

describe.each(BASE_RELEASES)(
  "in a chat of the real gateway of OpenClaw %s",
  (release) => {
    const hasRows = release === "2026.9.6";
    // Without the patch 2026.2.3 cuts a conversation off its past with each answer to a command, also to its own;
    // 2026.9.6 must hold without it.
    const root = join(releasesFolder(), release, hasRows ? "stock" : "patched");
    let provider: StrictProvider;
    let gateway: Gateway;

    beforeAll(async () => {
      provider = await startProvider();
      const dist = join(root, "node_modules", "openclaw", "dist");
      const people = settingsWithPeople(dist, [OWNERS_ENTRY], { logLevel: "info" });
      gateway = await openGateway({ root, release, providerUrl: provider.url, scopes: OPERATOR, ...people });
      await gateway.start();
    });
    afterAll(async () => {
      await gateway?.close();
      await provider?.close();
    });

    const say = async (text: string): Promise<string> =>
      text.startsWith("/") ? asOperator(gateway, KEY, text) : (await gateway.send(KEY, text)).finalText;
    const lastRequest = (): string => provider.requests.at(-1)?.raw ?? "";
    const withPlaces = <Value>(work: (stored: StoredTimeline) => Value): Value => {
      const catalog = openCatalog(gateway.stateDir);
      try {
        return withStoredTimeline(catalog, findSummary(catalog, KEY), gateway.stateDir, "look", work);
      } finally {
        catalog.close();
      }
    };
    const history = (): History => withPlaces((stored) => stored.history);
    /** Nodes of one history that the other does not have. */
    const strangers = (one: History, other: History): string[] => {
      const [hashes, others] = [new NodeHashes(one), new NodeHashes(other)];
      const known = new Set(other.nodes().map(({ id }) => others.hash(id)));
      return one
        .nodes()
        .filter(({ id }) => !known.has(hashes.hash(id)))
        .map(textOfNode);
    };
    /** An id as it is shown at least. */
    const short = (id: string): string => id.slice(0, 6);
    const findNodeId = (text: string): string =>
      history()
        .nodes()
        .find((node) => textOfNode(node).includes(text))!.id;

    it("/timeline lists the places with the first words, /rewind takes the conversation there, and the next message is answered from there", async () => {
      await say("first question");
      await say("second question");
      await say("third question");
      const [first, second, third] = [
        findNodeId("first question"),
        findNodeId("second question"),
        findNodeId("third question"),
      ];
      // 2026.2.3 tells nobody who reads the answer: there words are asked for.
      const listed = await say(hasRows ? "/timeline" : "/timeline words");
      for (const [id, words] of [
        [first, "first question"],
        [second, "second question"],
        [third, "third question"],
      ])
        expect(listed).toMatch(new RegExp(`^${short(id!)}\\w*  user  .*${words}`, "m"));
      expect(listed).toMatch(/2 turns back/);

      // The command itself is no turn: turn:-1 is still the place before the third question.
      expect(listed).not.toContain("/timeline");
      expect(withPlaces(({ resolve }) => resolve("turn:-1", false).nodeId)).toBe(history().children(second)[0]!.id);

      const answer = history().children(first)[0]!.id;
      const { length } = provider.requests;
      // The same place by the words of the person: the message before which it is.
      const asked = await say(hasRows ? "/rewind" : "/rewind words");
      expect(asked).toMatch(
        /^1\. .*\n> `"third question"`\n2\. .*; from there on 4 messages\n> `"second question"`\n3\. /m,
      );
      expect(await say("/rewind 2 use the other file\nand say so")).toMatch(
        /^To before the message of .*\n> `"second question"`\nMessages that would no longer be part of the conversation: 4 [^]*To do it: \/rewind 2 yes$/,
      );
      expect(
        history()
          .path()
          .some(({ entry }) => readArrival(entry)),
      ).toBe(false);
      expect(await say("/rewind 2 yes")).toMatch(
        /^The conversation continues before the message of .*\.\nMessages that are no longer part of it: 4 \(they stay stored\)\.\nYour message, to be changed and sent again:\n```\nsecond question\n```\nTo undo this: \/rewind undo$/,
      );
      expect(provider.requests).toHaveLength(length);
      expect(await say("fourth question")).toMatch(/^ok/);
      expect(lastRequest()).toContain("first question");
      expect(lastRequest()).toContain("The operator took the conversation back to this point.");
      // 2026.2.3 itself puts what is said to a command on one line.
      expect(lastRequest()).toMatch(/use the other file(?:\\n> | )and say so/);
      expect(lastRequest()).not.toMatch(/second question|third question/);
      const arrival = history()
        .path()
        .find(({ entry }) => readArrival(entry));
      expect(arrival && readArrival(arrival.entry)).toMatchObject({ targetId: answer, by: "operator" });
      expect(await say("/timeline 20")).toMatch(/the operator came from/);
      expect(await say("/timeline log")).toContain(
        `the operator went from \`${short(readArrival(arrival!.entry)!.departureId!)}`,
      );
      // A yes is to what was seen: the conversation has gone on.
      await say("/rewind 1");
      await say("fourth-and-a-half question");
      expect(await say("/rewind 1 yes")).toMatch(
        /^The conversation has gone on since you looked[^]*> `"fourth question"`/,
      );
      expect(await say("/rewind yes")).toContain("```\nfourth question\n```");
      expect(await say("/rewind undo")).toContain("Messages that are part of it again: 4.");
    });

    it.runIf(hasRows)(
      "OpenClaw's own list of branches shows the departure, and its switch goes back there; copies keep the hashes",
      async () => {
        const before = history();
        const hashes = new NodeHashes(before);
        const left = before.nodes().findLast((node) => textOfNode(node).includes("third question"))!;
        const { branches } = await gateway.request("sessions.branches.list", { sessionKey: KEY });
        const { departureId } = before.path().flatMap(({ entry }) => readArrival(entry) ?? [])[0]!;
        expect(branches).toContainEqual(expect.objectContaining({ leafEntryId: departureId, active: false }));
        const fourth = before.nodes().find((node) => textOfNode(node).includes("fourth question"))!;
        const index = openTimelineIndex(timelineIndexFile(gateway.stateDir));
        index.references.set({ sessionId: "the one before", sessionKey: KEY }, "fourth", {
          id: fourth.id,
          hash: hashes.hash(fourth.id)!,
        });
        index.close();
        await gateway.request("sessions.branches.switch", { sessionKey: KEY, leafEntryId: departureId });
        const switched = history();
        expect(switched.path().map(textOfNode).join("\n")).toContain("third question");
        expect(switched.path().map(textOfNode).join("\n")).not.toContain("fourth question");
        // Every node of the copy is one of those that were there.
        expect(strangers(switched, before)).toEqual([]);
        expect(new NodeHashes(switched).findNodes(hashes.hash(left.id)!)).toHaveLength(1);
        expect(await say("fifth question")).toMatch(/^ok/);
        expect(lastRequest()).toContain("third question");
        expect(lastRequest()).not.toContain("fourth question");

        // And from there back again by the operator's command, to the place that was named before the copy was made.
        expect(await say("/rewind fourth")).toMatch(/^To .*\nMessages|^To /);
        expect(await say("/rewind fourth yes")).toMatch(/^The conversation continues /);
        expect(await say("sixth question")).toMatch(/^ok/);
        expect(lastRequest()).toContain("fourth question");
        expect(lastRequest()).not.toMatch(/fifth question|third question/);
        const now = history();
        await gateway.request("sessions.rewind", { sessionKey: KEY, entryId: findNodeId("sixth question") });
        const rewound = history();
        expect(rewound.path().map(textOfNode).join("\n")).toContain("fourth question");
        expect(rewound.path().map(textOfNode).join("\n")).not.toContain("sixth question");
        expect(strangers(rewound, now)).toEqual([]);
      },
    );

    it("what cannot be gone to is refused with what can, and nobody but an operator is answered", async () => {
      const rows = JSON.stringify(await gateway.stored(KEY)).length;
      // And no word of the conversation where nobody can tell who reads the refusal.
      const refused = hasRows
        ? /found "nowhere".*Nodes near it that can be gone to/s
        : /found "nowhere".*Nodes near it that can be gone to: [0-9a-f]+ \(\w+\)/s;
      expect(await say("/rewind nowhere")).toMatch(refused);
      expect(await say("/rewind a1 in:agent:main:none")).toBe("No conversation of that name is stored.");
      expect(await say("/timeline many")).toMatch(/expected \/timeline/);
      expect(rows).toBeGreaterThan(0);
      if (!hasRows) return;
      for (const command of [
        "/timeline",
        "/rewind",
        "/rewind 1",
        "/rewind yes",
        "/timeline log",
        "/timeline fork root",
      ]) {
        const { finalText, error } = await gateway.sendAs(["operator.read", "operator.write"], KEY, command);
        expect(`${finalText}${error ?? ""}`).toMatch(/operator\.admin|for operators|^$/);
        expect(`${finalText}${error ?? ""}`).not.toMatch(/question|continues from/);
      }
    });

    it("while a run works on the conversation it is not taken away under it", async () => {
      provider.script({ kind: "fault", fault: "hang" });
      const { length } = provider.requests;
      const sent = gateway.send(KEY, "a long one").catch(() => undefined);
      await expect.poll(() => provider.requests.length, { timeout: patience(60_000) }).toBeGreaterThan(length);
      const before = history().headId;
      await say("/rewind root");
      const answer = await Promise.race([
        say("/rewind root yes").catch(String),
        new Promise<string>((resolve) => {
          setTimeout(() => resolve("queued"), 20_000);
        }),
      ]);
      expect(answer).toMatch(/nobody at work|is being|expected nobody|locked|queued/i);
      expect(
        history()
          .path()
          .some(({ id }) => id === before),
      ).toBe(true);
      await gateway.kill();
      await sent;
    });
  },
  patience(600_000),
);
