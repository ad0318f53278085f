import { toTranscript, type OpenClawDriver } from "../../../harness/openclaw/index.ts";
import { FOUND, HEALTHY, LONG } from "../../../harness/openclaw/samples.ts";
import type { StrictProvider } from "../../../harness/providers/index.ts";

/** A running OpenClaw and the provider that it talks to. */
export interface Driven {
  readonly openclaw: OpenClawDriver;
  readonly provider: StrictProvider;
}

/** One thing that must hold before what a release does with a corrupt session means anything. */
export interface Question {
  readonly name: string;
  /** Gives what is wrong, or undefined when it holds; `onTurn` gets the time of a turn of a session that is loaded. */
  ask(driven: Driven, onTurn: (ms: number) => void): Promise<string | undefined>;
}

const API = "anthropic-messages";
const MESSAGES = ["hello", "again"];

/**
 * On every API: both messages are answered, both requests hold what was stored, the second one the first answer too.
 */
const healthy: Question = {
  name: "healthy",
  async ask({ openclaw, provider }, onTurn) {
    for (const api of openclaw.apis) {
      provider.reset();
      const { turns, error } = await openclaw.run({ transcript: toTranscript(HEALTHY), api, messages: MESSAGES });
      if (error !== undefined) return `${api}: ${error}`;
      const failed = turns.find(({ answered }) => !answered);
      if (failed) return `${api}: ${failed.error ?? "not answered"}`;
      const requests = provider.requests.map(({ status, raw }) => ({ status, found: raw.includes(FOUND) }));
      if (requests.length !== MESSAGES.length)
        return `${api}: ${requests.length} requests for ${MESSAGES.length} messages`;
      if (requests.some(({ status, found }) => status !== 200 || !found))
        return `${api}: the stored text is not in both requests`;
      if (!provider.requests[1]?.raw.includes("ok 1")) return `${api}: the first answer is not in the second request`;
      onTurn(turns[1]?.ms ?? 0);
    }
    return undefined;
  },
};

/** An error that the provider gives is no answer, and the next message is answered. */
const refusal: Question = {
  name: "refusal",
  async ask({ openclaw, provider }) {
    provider.reset();
    provider.script({ kind: "fault", fault: "400-roles-alternate", times: Number.POSITIVE_INFINITY });
    const run = await openclaw.run({ transcript: toTranscript(HEALTHY), api: API, messages: ["hello"] });
    if (run.turns[0]?.answered !== false) return "an error text was taken for an answer";
    if (!provider.requests.some(({ status }) => status === 400))
      return `nothing was sent: ${run.turns[0].error ?? "no reason"}`;
    provider.reset();
    const after = await run.send("again");
    return after.answered ? undefined : `no answer after it: ${after.error ?? "no reason"}`;
  },
};

/** `dmHistoryLimit` cuts the stored user turns, and without it none is cut. */
const limit: Question = {
  name: "limit",
  async ask({ openclaw, provider }) {
    const sent = async (historyLimit?: number): Promise<number> => {
      provider.reset();
      const limited = historyLimit === undefined ? {} : { historyLimit };
      await openclaw.run({ transcript: LONG.transcript, api: API, messages: ["hello"], ...limited });
      return LONG.countIn(provider.requests[0]?.raw);
    };
    const all = await sent();
    const cut = await sent(3);
    return all === LONG.turns && cut === 3
      ? undefined
      : `of ${LONG.turns} user turns ${all} were sent, and with a limit of 3 ${cut}`;
  },
};

export const QUESTIONS: readonly Question[] = [healthy, refusal, limit];
