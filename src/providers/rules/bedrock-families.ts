import { isObject } from "../json.ts";
import type { JsonObject } from "../types.ts";
import type { Findings } from "./findings.ts";

/*
 * What single families of models refuse on Bedrock. Sources:
 * - pydantic/pydantic-ai#6098: measured on the live service; Llama and Mistral take nothing beside a toolResult, Claude
 * no document but PDF and no video.
 * - BerriAI/litellm#6053, strands-agents (its substring for #1223): the text for results.
 * - langchain-ai/langchain-aws#1118, quarkiverse/quarkus-langchain4j#1983: the text for calls.
 * - pydantic/pydantic-ai#3253: Claude's text, which speaks of a missing result.
 * - evalstate/fast-agent#667: text behind a call, of Bedrock at large; Claude's text is that of api.anthropic.com
 * (stacklok/mecatl#1465 and a recording in anomalyco/opencode).
 */

/** What is said, as against calls, results and marks. */
const CONVERSATION = ["text", "image", "document", "video", "audio", "searchResult"];

/** Judges each message by the model it is sent to. */
export function bedrockFamilies(messages: JsonObject[], model: string, found: Findings): void {
  const claude = /claude/i.test(model);
  const apart = /\bmeta\.|llama|mistral|mixtral|pixtral/i.test(model);
  messages.forEach(({ role, content }, m) => {
    const blocks = (Array.isArray(content) ? content : []).filter(isObject);
    const kinds = blocks.map((block) => Object.keys(block)[0] ?? "");
    const said = kinds.filter((kind) => CONVERSATION.includes(kind));
    const at = `messages.${m}.content`;
    if (apart && role === "user" && kinds.includes("toolResult") && said.length > 0) {
      found.add(at, `${at}: Conversation blocks and tool result blocks cannot be provided in the same turn.`);
    }
    if (apart && role === "assistant" && kinds.includes("toolUse") && said.length > 0) {
      found.add(at, `${at}: Conversation blocks and tool use blocks cannot be provided in the same turn.`);
    }
    if (claude && kinds.includes("toolResult") && blocks.some(isHeavy)) {
      const ids = blocks.flatMap(({ toolResult }) => (isObject(toolResult) ? [toolResult["toolUseId"]] : []));
      found.add(`messages.${m}`, missingResult(m, ids));
    }
    const call = kinds.indexOf("toolUse");
    if (claude && role === "assistant" && call >= 0 && kinds.includes("text", call))
      found.add(
        `messages.${m}`,
        missingResult(
          m,
          blocks.flatMap(({ toolUse }) => (isObject(toolUse) ? [toolUse["toolUseId"]] : [])),
        ),
      );
  });
}

/** Claude's own words. */
function missingResult(message: number, ids: readonly unknown[]): string {
  return `The model returned the following errors: messages.${message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function isHeavy({ document, video }: JsonObject): boolean {
  return video !== undefined || (isObject(document) && document["format"] !== "pdf");
}
