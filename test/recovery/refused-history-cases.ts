/** Histories that a provider refuses, or says that it refuses. */
import { expect, it } from "vitest";
import { randomExtraRule, refuseEverything } from "../../harness/providers/index.ts";
import {
  incidents,
  missingFrom,
  plainSession,
  SAID,
  statuses,
  toolSession,
  type Live,
} from "../../harness/openclaw/live.ts";

const REFUSALS = ["unexpectedResult", "rolesAlternate", "missingResult"] as const;
const FORGED = ["400-unexpected-tool-use-id", "rejection-at-start"] as const;

/** How much of the cases is played. */
export interface HistorySample {
  /** Random rules for each API. */
  readonly rules: number;
  /** Wordings of a refusal of everything. */
  readonly refusals: number;
  /** Kinds of forged refusals. */
  readonly forged: number;
}

export const WHOLE_HISTORY: HistorySample = { rules: 6, refusals: REFUSALS.length, forged: FORGED.length };

/** In an OpenClaw that searches for no refused part: requests are counted, and none is to come behind a turn. */
export function refusedHistory(live: Live, release: string, sample: HistorySample): void {
  it("a refused history is healed at the place that the provider names, in the same turn, once, and stored so", async () => {
    const { provider, openclaw } = live;
    const before = incidents(openclaw.stateDir).length;
    provider.script({ kind: "fault", fault: "400-unexpected-tool-use-id" });
    const run = await openclaw.run(toolSession("anthropic-messages"));
    expect(statuses(provider.requests)).toEqual([400, 200]);
    expect(run.turns[0]).toMatchObject({ answered: true });
    expect(run.turns[0]!.text).toMatch(/^ok \d+\n\[The provider refused a part of this conversation's history/);
    expect(missingFrom(provider.requests.at(-1))).toEqual([]);
    const [incident] = incidents(openclaw.stateDir).slice(before);
    expect(incident).toMatchObject({
      outcome: "answered",
      release,
      steps: [{ failure: "history", problem: "tool_pairing", rung: "calls_as_text" }],
    });
    expect(JSON.stringify(incident)).not.toMatch(/heron|alpha|beta/);
    const rows = await run.readTranscript();
    for (const message of ["second", "third"]) {
      provider.requests.length = 0;
      expect(await run.send(message)).toMatchObject({
        answered: true,
        text: expect.stringMatching(/^ok \d+$/) as string,
      });
      expect(statuses(provider.requests)).toEqual([200]);
      expect(missingFrom(provider.requests.at(-1))).toEqual([]);
    }
    // Append-only: every row that was there is there, and the repaired branch besides.
    const after = (await run.readTranscript()).map((row) => JSON.stringify(row));
    for (const row of rows) expect(after).toContain(JSON.stringify(row));
    expect(after.filter((row) => row.includes("The assistant called the tool read with"))).not.toEqual([]);
  });

  it("a refused history is answered whatever unknown rule on tool blocks the provider has, with at most two requests more", async () => {
    const { provider, openclaw } = live;
    for (const [nth, api] of openclaw.apis.entries()) {
      for (let seed = nth * sample.rules; seed < (nth + 1) * sample.rules; seed++) {
        provider.reset();
        const rule = randomExtraRule(seed);
        provider.enforce(rule);
        const run = await openclaw.run(toolSession(api));
        const said = { api, rule: rule.name, turn: run.turns[0], sent: statuses(provider.requests) };
        expect(said).toMatchObject({ turn: { answered: true, text: expect.stringMatching(/^ok \d+/) as string } });
        expect(said.sent.length, JSON.stringify(said)).toBeLessThanOrEqual(3);
        expect(missingFrom(provider.requests.at(-1)), JSON.stringify(said)).toEqual([]);
        const next = await run.send("and now?");
        expect({ ...said, next }).toMatchObject({
          next: { answered: true, text: expect.stringMatching(/^ok \d+/) as string },
        });
      }
    }
  });

  it("a refused history that is refused with every request is changed in nothing: the user is told, and all of it is sent when the provider takes it", async () => {
    const { provider, openclaw } = live;
    for (const text of REFUSALS.slice(0, sample.refusals)) {
      provider.reset();
      provider.enforce(refuseEverything(text));
      const before = incidents(openclaw.stateDir).length;
      const run = await openclaw.run(toolSession("anthropic-messages"));
      const rows = (await run.readTranscript()).map((row) => JSON.stringify(row));
      expect(statuses(provider.requests), text).toEqual([400, 400, 400]);
      expect(run.turns[0]!.text).toMatch(/refuses every request of this conversation.*Nothing was changed/);
      for (let turn = 0; turn < 2; turn++) {
        provider.requests.length = 0;
        const refused = await run.send("are you there?");
        expect(refused.text).toMatch(/refuses every request of this conversation, and its history is not the reason/);
        expect(provider.requests.length).toBeLessThanOrEqual(3);
        expect(missingFrom(provider.requests.at(-1), ["are you there?"])).toEqual([]);
        expect(missingFrom(provider.requests.at(-1))).toEqual(SAID);
      }
      provider.relax();
      provider.requests.length = 0;
      expect(await run.send("and now?")).toMatchObject({
        answered: true,
        text: expect.stringMatching(/^ok \d+$/) as string,
      });
      expect(statuses(provider.requests)).toEqual([200]);
      expect(missingFrom(provider.requests[0], [...SAID, "are you there?"])).toEqual([]);
      const after = (await run.readTranscript()).map((row) => JSON.stringify(row));
      for (const row of rows) expect(after).toContain(row);
      for (const incident of incidents(openclaw.stateDir).slice(before))
        expect(incident).toMatchObject({ outcome: "refused" });
    }
  });

  it("a refused history that is refused in every form is left out where the last words are taken: answered, told, and nothing is archived", async () => {
    const { provider, openclaw } = live;
    provider.reset();
    provider.enforce({
      name: "no heron",
      check: (_api, body) =>
        JSON.stringify(body).includes("heron")
          ? { status: 400, message: "messages.0: this is not a valid message", path: "messages.0" }
          : undefined,
    });
    const before = incidents(openclaw.stateDir).length;
    const run = await openclaw.run(toolSession("anthropic-messages"));
    const turns = [run.turns[0]!];
    for (const message of ["and now?", "and then?", "and last?"]) {
      provider.requests.length = 0;
      turns.push(await run.send(message));
      expect(provider.requests.length).toBeLessThanOrEqual(3);
      expect(provider.requests.at(-1)!.raw).toContain(message);
    }
    for (const turn of turns.slice(1)) {
      expect(turn.answered).toBe(true);
      expect(turn.text).toMatch(/^ok \d+/);
    }
    provider.relax();
    expect(await run.send("and at the end?")).toMatchObject({
      answered: true,
      text: expect.stringMatching(/^ok \d+$/) as string,
    });
    expect(missingFrom(provider.requests.at(-1), [...SAID, "and then?"])).toEqual([]);
    expect(
      incidents(openclaw.stateDir)
        .slice(before)
        .filter(({ outcome }) => outcome === "reset"),
    ).toEqual([]);
  });

  it("a refused history is none for a provider that is down and refuses everything without a reason: all of it is sent when the provider is back", async () => {
    const { provider, openclaw } = live;
    provider.reset();
    provider.relax();
    const run = await openclaw.run({ ...toolSession("anthropic-messages"), messages: ["hello"] });
    provider.enforce({ name: "down", check: () => ({ status: 400, message: "Bad Request", path: "" }) });
    for (let turn = 1; turn <= 5; turn++) {
      provider.requests.length = 0;
      const told = await run.send(`during ${turn}`);
      expect(told.text).not.toContain("started anew");
      expect(provider.requests.length).toBeLessThanOrEqual(3);
    }
    provider.relax();
    expect(await run.send("and now?")).toMatchObject({
      answered: true,
      text: expect.stringMatching(/^ok/) as string,
    });
    expect(missingFrom(provider.requests.at(-1), [...SAID, "hello", "during 1", "during 5"])).toEqual([]);
    expect(provider.requests.at(-1)!.raw).toContain('"tool_use"');
  });

  it.each(FORGED.slice(0, sample.forged))(
    "a refused history cannot be emptied by a proxy that forges refusals, again and again: %s",
    async (fault) => {
      const { provider, openclaw } = live;
      const before = incidents(openclaw.stateDir).length;
      const resets = () =>
        incidents(openclaw.stateDir)
          .slice(before)
          .filter(({ outcome }) => outcome === "reset").length;
      const forge = () => provider.script({ kind: "fault", fault, times: 3 });
      const run = await openclaw.run({ ...toolSession("anthropic-messages"), messages: ["hello"] });
      for (let round = 1; round <= 3; round++) {
        forge();
        const refused = await run.send(`round ${round}`);
        expect(refused.text).toMatch(/refuses every request of this conversation.*Nothing was changed/);
        expect(await run.send(`after ${round}`)).toMatchObject({
          answered: true,
          text: expect.stringMatching(/^ok \d+$/) as string,
        });
        expect(missingFrom(provider.requests.at(-1), [...SAID, "hello", `round ${round}`])).toEqual([]);
      }
      expect(resets()).toBe(0);
      // However many follow each other, also where the last words are taken.
      for (const times of [3, 3, 2, 1, 2, 2, 3, 2, 1, 3]) {
        provider.reset();
        provider.script({ kind: "fault", fault, times });
        await run.send("refused");
        expect(provider.requests.length).toBeLessThanOrEqual(3);
      }
      provider.reset();
      expect(await run.send("go on")).toMatchObject({ answered: true });
      expect(missingFrom(provider.requests.at(-1), [...SAID, "hello", "round 1", "round 3"])).toEqual([]);
      expect(resets()).toBe(0);
    },
  );

  it("a refused history is left to OpenClaw when the refusal is not about the history", async () => {
    const { provider, openclaw } = live;
    const before = incidents(openclaw.stateDir).length;
    provider.script({ kind: "fault", fault: "http-401", times: 20 });
    const run = await openclaw.run(plainSession("anthropic-messages"));
    expect(run.turns[0]).toMatchObject({ answered: false });
    expect(new Set(statuses(provider.requests))).toEqual(new Set([401]));
    expect(incidents(openclaw.stateDir).length).toBe(before);
  });
}
