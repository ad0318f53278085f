/** Marks of the prompt cache on blocks that do not go out as they are. */
import {
  anthropicBody,
  assistant,
  bedrockBody,
  CLAUDE,
  hits,
  READ,
  serverResult,
  text,
  user,
  type BodyCase,
} from "./case.ts";

const MARK = { cache_control: { type: "ephemeral" } };
const CACHING = "platform.claude.com/docs/en/build-with-claude/prompt-caching";

export const cacheMarks: BodyCase[] = [
  {
    id: "cache-mark-on-a-blank-text",
    title: "The mark stands on a blank text at the end of the message",
    report: CACHING,
    reported: READ,
    api: "anthropic-messages",
    model: CLAUDE,
    refusal: "messages: text content blocks must be non-empty",
    body: anthropicBody(user([text("a long manual"), text("", MARK)]), assistant(text("Read.")), user("go")),
    sent: [user([text("a long manual", MARK)]), assistant(text("Read.")), user("go")],
    mustReach: ["a long manual"],
  },
  {
    id: "cache-mark-alone-in-its-message",
    title: "The marked blank text was all of its message: the mark moves to the message before, past thinking",
    report: CACHING,
    reported: READ,
    api: "anthropic-messages",
    model: CLAUDE,
    refusal: "messages: text content blocks must contain non-whitespace text",
    body: anthropicBody(
      user("q"),
      assistant(text("Said."), { type: "thinking", thinking: "hm", signature: "c2ln" }),
      user([text(" ", MARK)]),
      user("next"),
    ),
    sent: [
      user("q"),
      assistant(
        text("Said.", MARK),
        { type: "thinking", thinking: "hm", signature: "c2ln" },
        text("[The answer was cut off here.]"),
      ),
      user("next"),
    ],
    mustReach: ["Said."],
  },
  {
    id: "cache-mark-on-a-lone-server-result",
    title: "The marked result of a server's tool goes out in words: the words have the mark",
    report: "anthropics/claude-code#95406",
    reported: "2026-09-18",
    api: "anthropic-messages",
    model: CLAUDE,
    refusal: "messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_1.",
    body: anthropicBody(user("q"), assistant({ ...serverResult("1", hits("a hit")), ...MARK }), user("next")),
    mustReach: ["a hit", '"cache_control":{"type":"ephemeral"}'],
  },
  {
    id: "cache-point-alone-in-its-message",
    title: "Behind the blank text that is dropped stands a cachePoint, which is all that its message has left",
    report: "docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html",
    reported: READ,
    api: "bedrock-converse-stream",
    model: "anthropic.claude-opus-4-5",
    refusal: "The text field in the ContentBlock object at messages.2.content.0 is blank.",
    body: bedrockBody(
      "anthropic.claude-opus-4-5",
      user([{ text: "a long manual" }]),
      assistant({ text: "Read." }),
      user([{ text: " " }, { cachePoint: { type: "default" } }]),
      assistant({ text: "Still here." }),
      user([{ text: "go" }]),
    ),
    mustReach: ["Still here.", "cachePoint"],
    mustNotReach: ['"content":[{"cachePoint"'],
  },
];
