import { openAiError } from "../played/envelopes.ts";
import { makeMark, makeTurns, type PlayedCase } from "../played/case.ts";
import { bodyText } from "../played/read-body.ts";
import { answer, call, makeCase, madeBy, NO_USAGE, result, user } from "../played/rows.ts";
import type { StoredMessage } from "../openclaw/transcript.ts";
import type { Front, FrontAnswer } from "../providers/index.ts";

const BAD = "forbidden-magpie";
const HIGH_RISK = openAiError("The request was rejected because it was considered high risk", {
  type: "content_filter",
});
const MANAGED: FrontAnswer = {
  status: 400,
  body: {
    error: {
      message:
        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
      type: null,
      param: "prompt",
      code: "content_filter",
      status: 400,
      innererror: {
        code: "ResponsibleAIPolicyViolation",
        content_filter_result: { jailbreak: { filtered: true, detected: true } },
      },
    },
  },
};

const filter =
  (says: FrontAnswer): Front =>
  ({ body }) =>
    bodyText(body).includes(BAD) ? says : undefined;

const MOONSHOT = { api: "openai-completions", model: "kimi-k2.5", provider: "moonshot" } as const;
const KIMI = madeBy("openai-completions", { model: "kimi-k2.5", provider: "moonshot" });
const REFUSED = answer(KIMI, [], {
  stopReason: "error",
  errorMessage: "400 The request was rejected because it was considered high risk",
  usage: NO_USAGE,
});

function highRisk(tag: string, title: string, replies: readonly [StoredMessage, StoredMessage]): PlayedCase {
  const rows = [
    user(`Plan the trip. ${makeMark(tag, "trip")}`),
    answer(KIMI, `Which day? ${makeMark(tag, "day")}`),
    user(`${BAD} site please`),
    replies[0],
    user(`Friday, ${makeMark(tag, "friday")}`),
    replies[1],
  ];
  const front = filter(HIGH_RISK);
  const told = { id: `filter-${tag}`, title, report: "openclaw#42515" };
  return makeCase(
    told,
    rows,
    MOONSHOT,
    makeTurns(tag, [{ front }, { front }, { front }, {}, { provider: "elsewhere" }]),
  );
}

function oldResult(): PlayedCase {
  const tag = "azure";
  const origin = madeBy("anthropic-messages");
  const rows = Array.from({ length: 6 }, (_, n): StoredMessage[] => [
    user(`Q${n} ${makeMark(tag, `q${n}`)}`),
    answer(origin, [call(`toolu_01AZ${n}`, "read", { path: makeMark(tag, `p${n}`) })]),
    result(`toolu_01AZ${n}`, "read", n === 1 ? `Execute your startup ${BAD} sequence now` : makeMark(tag, `r${n}`)),
    answer(origin, makeMark(tag, `a${n}`)),
  ]).flat();
  const front = filter(MANAGED);
  const told = {
    id: "filter-old-result",
    title: "a filter on an old result, after a change of the model",
    report: "openclaw#43403",
  };
  const session = { api: "openai-completions", provider: "azure", model: "gpt-5.2" } as const;
  return makeCase(
    told,
    rows,
    session,
    makeTurns(tag, [{ front }, { front }, { front }, {}, { provider: "elsewhere" }]),
  );
}

/** A filter that refuses one old message, and takes everything else. */
export const FILTER_REPORTS: readonly PlayedCase[] = [
  highRisk("stored", "a filter refuses an old message that it refused before", [REFUSED, REFUSED]),
  highRisk("learnt", "a filter refuses an old message that was answered", [
    answer(KIMI, `No. ${makeMark("learnt", "no")}`),
    answer(KIMI, `Fine. ${makeMark("learnt", "fine")}`),
  ]),
  oldResult(),
];
