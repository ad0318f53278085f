/** What single families of models refuse or take on Bedrock, and what Bedrock refuses of every model. */
import { assistant, bedrockBody, converseCall, converseResult, user, type BodyCase, type Json } from "./case.ts";

const words = (text: string): Json => ({ text });
const document = (format: string): Json => ({ document: { name: "list", format, source: { bytes: "aGVsbG8=" } } });
const LLAMA = "us.meta.llama3-3-70b-instruct-v1:0";
const MISTRAL = "mistral.mistral-large-2402-v1:0";
const CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const RECEIVED = assistant(words("[The results were received.]"));
const api = "bedrock-converse-stream";
const RESULTS_ALONE =
  "messages.2.content: Conversation blocks and tool result blocks cannot be provided in the same turn.";

export const bedrockModels: BodyCase[] = [
  {
    id: "bedrock-llama-text-beside-result",
    title: "Llama: the user's next words in the message of the results",
    report: "pydantic/pydantic-ai#6098",
    also: ["BerriAI/litellm#6053", "browser-use/browser-use#710"],
    reported: "2026-06-27",
    api,
    model: LLAMA,
    refusal: RESULTS_ALONE,
    body: bedrockBody(
      LLAMA,
      user([words("go")]),
      assistant(converseCall("a")),
      user([converseResult("a", "exit 0"), words("and now?")]),
    ),
    sent: [
      user([words("go")]),
      assistant(converseCall("a")),
      user([converseResult("a", "exit 0")]),
      RECEIVED,
      user([words("and now?")]),
    ],
    mustReach: ["exit 0", "and now?"],
  },
  {
    id: "bedrock-mistral-document-beside-result",
    title: "Mistral: a document in the message of the results",
    report: "pydantic/pydantic-ai#6098",
    reported: "2026-06-27",
    api,
    model: MISTRAL,
    refusal: RESULTS_ALONE,
    body: bedrockBody(
      MISTRAL,
      user([words("go")]),
      assistant(converseCall("a")),
      user([converseResult("a", "exit 0"), { cachePoint: { type: "default" } }, document("pdf")]),
    ),
    sent: [
      user([words("go")]),
      assistant(converseCall("a")),
      user([converseResult("a", "exit 0"), { cachePoint: { type: "default" } }]),
      RECEIVED,
      user([document("pdf")]),
    ],
    mustReach: ["exit 0", "aGVsbG8="],
  },
  {
    id: "bedrock-mistral-text-beside-call",
    title: "Mistral: words and a call of the assistant's in one message, as Claude writes them",
    report: "langchain-ai/langchain-aws#1118",
    also: ["quarkiverse/quarkus-langchain4j#1983"],
    reported: "2026-06-22",
    api,
    model: MISTRAL,
    refusal: "messages.1.content: Conversation blocks and tool use blocks cannot be provided in the same turn.",
    body: bedrockBody(
      MISTRAL,
      user([words("go")]),
      assistant(words("Running."), converseCall("a")),
      user([converseResult("a", "exit 0")]),
    ),
    sent: [
      user([words("go")]),
      assistant(words("Running.")),
      user([words("[Please continue.]")]),
      assistant(converseCall("a")),
      user([converseResult("a", "exit 0")]),
    ],
    mustReach: ["Running.", "exit 0"],
  },
  {
    id: "bedrock-claude-csv-beside-result",
    title: "Claude: a CSV document in the message of the results, refused with a text on missing results",
    report: "pydantic/pydantic-ai#3253",
    also: ["pydantic/pydantic-ai#6098"],
    reported: "2025-10-24",
    api,
    model: CLAUDE,
    refusal:
      "The model returned the following errors: messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: a.",
    body: bedrockBody(
      CLAUDE,
      user([words("go")]),
      assistant(words("Reading."), converseCall("a")),
      user([converseResult("a", "see the list"), document("csv")]),
    ),
    sent: [
      user([words("go")]),
      assistant(words("Reading."), converseCall("a")),
      user([converseResult("a", "see the list")]),
      RECEIVED,
      user([document("csv")]),
    ],
    mustReach: ["see the list", "aGVsbG8="],
  },
  {
    id: "bedrock-claude-text-beside-result",
    title: "Claude takes words and documents beside results: nothing is parted",
    report: "pydantic/pydantic-ai#6098",
    reported: "2026-06-27",
    api,
    model: CLAUDE,
    body: bedrockBody(
      CLAUDE,
      user([words("go")]),
      assistant(words("Reading."), converseCall("a")),
      user([converseResult("a", "exit 0"), words("and now?"), document("pdf")]),
    ),
    mustReach: ["exit 0", "and now?"],
  },
  {
    id: "bedrock-nova-document-beside-result",
    title: "Nova takes everything beside results: nothing is parted",
    report: "pydantic/pydantic-ai#6098",
    reported: "2026-06-27",
    api,
    model: "us.amazon.nova-pro-v1:0",
    body: bedrockBody(
      "us.amazon.nova-pro-v1:0",
      user([words("go")]),
      assistant(words("Reading."), converseCall("a")),
      user([converseResult("a", "exit 0"), document("csv")]),
    ),
    mustReach: ["exit 0"],
  },
  {
    id: "bedrock-claude-text-behind-call",
    title: "Claude: the assistant's words stand behind its call",
    report: "evalstate/fast-agent#667",
    also: ["stacklok/mecatl#1465"],
    reported: "2026-02-05",
    api,
    model: CLAUDE,
    refusal:
      "The model returned the following errors: messages.1: `tool_use` ids were found without `tool_result` blocks",
    body: {
      ...bedrockBody(
        CLAUDE,
        user([words("go")]),
        assistant(
          { reasoningContent: { reasoningText: { text: "hm", signature: "c2ln" } } },
          converseCall("a"),
          words("Running it."),
        ),
        user([converseResult("a", "exit 0")]),
      ),
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 1024 } },
    },
    sent: [
      user([words("go")]),
      assistant(
        { reasoningContent: { reasoningText: { text: "hm", signature: "c2ln" } } },
        words("Running it."),
        converseCall("a"),
      ),
      user([converseResult("a", "exit 0")]),
    ],
    mustReach: ["Running it.", "exit 0"],
  },
  {
    id: "bedrock-empty-error",
    title: "A failed tool left a result without content, marked as an error",
    report: "aws-samples/sample-multi-agent-orchestration-chat-on-agentcore#15",
    reported: "2026-06-01",
    api,
    model: CLAUDE,
    refusal: "The content field at messages.2.content.0.toolResult cannot be empty when status value is error.",
    body: bedrockBody(
      CLAUDE,
      user([words("go")]),
      assistant(words("Running."), converseCall("a")),
      user([converseResult("a", "", { content: [], status: "error" })]),
    ),
    mustReach: ["Running."],
  },
  {
    id: "bedrock-list-as-json",
    title: "A tool's result is the JSON of a list",
    report: "aws/aws-sdk-js-v3#7330",
    also: ["deepset-ai/haystack-core-integrations#3766", "sigoden/aichat#1550"],
    reported: "2025-09-10",
    api,
    model: CLAUDE,
    refusal: "The format of the value at messages.2.content.0.toolResult.content.0.json is invalid.",
    body: bedrockBody(
      CLAUDE,
      user([words("go")]),
      assistant(words("Running."), converseCall("a")),
      user([converseResult("a", "", { content: [{ json: ["a.txt", "b.txt"] }] })]),
    ),
    mustReach: ["Running.", "a.txt", "b.txt"],
  },
];
