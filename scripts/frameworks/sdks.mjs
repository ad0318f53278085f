/**
 * The SDKs of Anthropic and OpenAI, in the oldest version that is supported and in later ones. The file is copied to
 * where they are installed, and imported from there. What a Way is: agents.mjs.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const apiKey = "k";

const ASK = {
  "anthropic-messages": ({ messages }, list) =>
    messages.create({ model: "claude-test", max_tokens: 9, messages: list }),
  "openai-completions": ({ chat }, list) => chat.completions.create({ model: "gpt-5", messages: list }),
  "openai-responses": ({ responses }, list) => responses.create({ model: "gpt-5", input: list }),
};
const FORMS = { "anthropic-messages": "anthropic", "openai-completions": "chat", "openai-responses": "responses" };

/** A way to ask for each API that a version has. */
export const AGENTS = (
  await Promise.all(
    Object.keys(readJson("package.json").dependencies).map(async (alias) => {
      const { default: Client } = await import(alias);
      const { name, version } = readJson("node_modules", alias, "package.json");
      const isOpenAI = name === "openai";
      const client = ({ url, fetch }) =>
        new Client({ apiKey, maxRetries: 0, baseURL: isOpenAI ? `${url}/v1` : url, fetch });
      const probe = client({ url: "http://127.0.0.1" });
      const apis = isOpenAI
        ? ["openai-completions", ...(probe.responses ? ["openai-responses"] : [])]
        : ["anthropic-messages"];
      return apis.map((api) => ({
        hasNoAdapter: true,
        name: `${name} ${version}`,
        form: FORMS[api],
        api,
        ask: (list, way) => ASK[api](client(way), way.repair(list)),
      }));
    }),
  )
).flat();

function readJson(...path) {
  return JSON.parse(readFileSync(join(import.meta.dirname, ...path), "utf8"));
}
