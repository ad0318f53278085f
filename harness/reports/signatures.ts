import { anthropicError, geminiError, openAiError } from "../played/envelopes.ts";
import { makeMark, makeTurns, type PlayedCase } from "../played/case.ts";
import { findIn, readList, listParts } from "../played/read-body.ts";
import { answer, call, makeCase, madeBy, result, user } from "../played/rows.ts";
import type { StoredMessage } from "../openclaw/transcript.ts";
import type { Front } from "../providers/index.ts";

const GEMINI = { api: "google-generative-ai", thinking: true, model: "gemini-3.1-pro-preview" } as const;
const GEMINI_MADE = madeBy("google-generative-ai", { model: "gemini-3.1-pro-preview" });
const STALE = `STALE${"Ab3d".repeat(20)}AAA`;
const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0;

const unreadableThought: Front = ({ body }) => {
  const bad = findIn(body, ({ thoughtSignature: signature }) => {
    if (typeof signature !== "string" || signature === "skip_thought_signature_validator") return false;
    return signature.startsWith("STALE") || !isBase64(signature);
  });
  if (bad === undefined) return undefined;
  const signature = String(bad.value["thoughtSignature"]);
  return geminiError(
    signature.startsWith("STALE")
      ? "Corrupted thought signature."
      : `Invalid value at 'contents.${bad.path}.thought_signature' (TYPE_BYTES), Base64 decoding failed for "${signature}"`,
  );
};

/** Signatures of Gemini's that were damaged on the way: on a call, on a text, or on both. */
function thought(tag: string, report: string, signatures: { call?: string; text?: string }): PlayedCase {
  const mark = (name: string): string => makeMark(tag, name);
  const rows = [
    user(`Q ${mark("q1")}`),
    answer(GEMINI_MADE, [
      call("call_ts1", "exec", { command: mark("c1") }, signatures.call ? { thoughtSignature: signatures.call } : {}),
    ]),
    result("call_ts1", "exec", mark("r1")),
    answer(GEMINI_MADE, [
      { type: "text", text: mark("done"), ...(signatures.text && { textSignature: signatures.text }) },
    ]),
  ];
  const told = { id: `signature-${tag}`, title: "a thought signature that Gemini cannot read", report };
  return makeCase(
    told,
    rows,
    GEMINI,
    makeTurns(tag, [{ front: unreadableThought }, { front: unreadableThought }, {}, { provider: "elsewhere" }]),
  );
}

const CUT = `${"Ab3d".repeat(20)}x`;

const reasoning = (id: string, letter: string): StoredMessage => ({
  type: "thinking",
  thinking: "",
  thinkingSignature: JSON.stringify({
    id,
    type: "reasoning",
    summary: [],
    encrypted_content: `gAAAAABstale${letter}${"Q".repeat(80)}`,
  }),
});

const unverified: Front = ({ body }) =>
  findIn(body, (item) => item["type"] === "reasoning" && String(item["encrypted_content"]).includes("stale")) &&
  openAiError(
    "The encrypted content gAAA...QQQ= could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
    { code: "invalid_encrypted_content" },
  );

function encrypted(): PlayedCase {
  const [api, tag] = ["openai-responses", "encrypted"] as const;
  const origin = madeBy(api);
  const rows = ["a", "b", "c"].flatMap((x): StoredMessage[] => [
    user(`Q ${makeMark(tag, `${x}1`)}`),
    answer(origin, [
      reasoning(`rs_0${x}68aa`, x),
      call(`call_ec${x}|fc_ec${x}`, "exec", { command: makeMark(tag, `${x}2`) }),
    ]),
    result(`call_ec${x}|fc_ec${x}`, "exec", makeMark(tag, `${x}3`)),
    answer(origin, [
      reasoning(`rs_1${x}68ab`, `${x}2`),
      { type: "text", text: makeMark(tag, `${x}4`), textSignature: `msg_${x}` },
    ]),
  ]);
  const told = {
    id: "encrypted-reasoning",
    title: "encrypted reasoning that cannot be verified any more",
    report: "openclaw#110075",
  };
  return makeCase(
    told,
    rows,
    { api, thinking: true },
    makeTurns(tag, [{ front: unverified }, { front: unverified }, {}, { provider: "elsewhere" }]),
  );
}

const mismatched: Front = ({ body }) =>
  findIn(body, (item) => item["type"] === "reasoning") &&
  openAiError(
    "The encrypted content for item rs_bad1 could not be verified. Reason: Encrypted content item_id did not match the target item id.",
    { code: "invalid_encrypted_content" },
  );

function mismatch(): PlayedCase {
  const [api, tag] = ["openai-responses", "mismatch"] as const;
  const rows = [
    user(`Q ${makeMark(tag, "q1")}`),
    answer(madeBy(api), [
      reasoning("rs_bad1", ""),
      { type: "text", text: makeMark(tag, "a1"), textSignature: "msg_im" },
    ]),
  ];
  const told = {
    id: "reasoning-of-another-item",
    title: "encrypted reasoning under another id",
    report: "openclaw#70654",
  };
  return makeCase(
    told,
    rows,
    { api, thinking: true },
    makeTurns(tag, [{ front: mismatched }, { front: mismatched }, {}, { provider: "elsewhere" }]),
  );
}

const foreignSignature: Front = ({ body }) => {
  const bad = findIn(body, (block) => {
    const text = String(block["signature"]);
    return block["type"] === "thinking" && (text === "reasoning_content" || text.includes("OTHERMODEL"));
  });
  return bad && anthropicError(`messages.${bad.path}: Invalid \`signature\` in \`thinking\` block`);
};

/** Thinking that another provider has signed. */
function foreign(tag: string, signature: (at: string) => string): PlayedCase {
  const api = "anthropic-messages";
  const origin = madeBy(api, { model: "claude-sonnet-4-6" });
  const thinking = (words: string, at: string): StoredMessage => ({
    type: "thinking",
    thinking: words,
    thinkingSignature: signature(at),
  });
  const rows = [
    user(`Q ${makeMark(tag, "q1")}`),
    answer(origin, [thinking("I look.", "a"), call("toolu_01FS", "exec", { command: makeMark(tag, "c1") })]),
    result("toolu_01FS", "exec", makeMark(tag, "r1")),
    answer(origin, [thinking("It is so.", "b"), makeMark(tag, "done")]),
  ];
  const told = { id: `thinking-${tag}`, title: "thinking that another provider has signed", report: "openclaw#91205" };
  return makeCase(
    told,
    rows,
    { api, thinking: true, model: "claude-sonnet-4-6" },
    makeTurns(tag, [{ front: foreignSignature }, { front: foreignSignature }, {}, { provider: "elsewhere" }]),
  );
}

const noThinkingFirst: Front = ({ body }) => {
  const list = readList(body);
  const at = list.findLastIndex(({ role }) => role === "assistant");
  const isLoop = listParts(list[at + 1] ?? {}).some(({ type }) => type === "tool_result");
  const parts = listParts(list[at] ?? {});
  const isBroken = isLoop && parts.some(({ type }) => type === "tool_use") && parts[0]?.["type"] !== "thinking";
  if (!isBroken || body["thinking"] === undefined) return undefined;
  return anthropicError(
    `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`tool_use\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns.`,
  );
};

/** Thinking is on, and the tool round that the turn goes on from has none. */
function thinkingFirst(): PlayedCase {
  const [api, tag] = ["anthropic-messages", "first"] as const;
  const origin = madeBy(api);
  const signed = { type: "thinking", thinking: "t", thinkingSignature: `EqoBCkgI${"c".repeat(60)}==` };
  const rows = [
    user(`Q ${makeMark(tag, "q1")}`),
    answer(origin, [signed, call("toolu_01TF", "exec", { command: makeMark(tag, "c1") })]),
    result("toolu_01TF", "exec", makeMark(tag, "r1")),
    answer(origin, [call("toolu_01TG", "exec", { command: makeMark(tag, "c2") })]),
    result("toolu_01TG", "exec", makeMark(tag, "r2")),
  ];
  const told = {
    id: "thinking-not-first",
    title: "thinking is on, the last tool round has none",
    report: "openclaw#35023",
  };
  return makeCase(
    told,
    rows,
    { api, thinking: true },
    makeTurns(tag, [{ front: noThinkingFirst }, { front: noThinkingFirst }]),
  );
}

/** What a provider has signed, and does not take back. */
export const SIGNATURE_REPORTS: readonly PlayedCase[] = [
  thought("truncated", "openclaw#87629", { call: `${"Ab3d".repeat(27)}x`, text: CUT }),
  thought("ellipsis", "openclaw#87629", { call: `${"Ab3d".repeat(20)}…`, text: CUT }),
  thought("word", "openclaw#87629", { call: "reasoning_details", text: "reasoning_details" }),
  thought("stale", "openclaw#23771", { call: STALE, text: STALE }),
  thought("stalecall", "openclaw#23771", { call: STALE }),
  thought("staletext", "openclaw#23771", { text: STALE }),
  encrypted(),
  mismatch(),
  foreign("word", () => "reasoning_content"),
  foreign("other", (at) => `EqoBCkgIBOTHERMODEL${at.repeat(60)}==`),
  thinkingFirst(),
];
