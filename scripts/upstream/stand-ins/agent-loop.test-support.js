/** Stands in for the helper of that name beside OpenClaw's agent-loop.ts: a model that answers from a list of turns. */
const model = {
  id: "m",
  name: "m",
  api: "a",
  provider: "p",
  baseUrl: "https://example.org",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000,
  maxTokens: 1000,
};
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { ...model.cost, total: 0 } };

export const config = { model, convertToLlm: (messages) => messages };

export const user = () => ({ role: "user", content: "run", timestamp: 1 });

export const makeCall = (name) => ({ type: "toolCall", id: name, name, arguments: {} });

export const makeTool = (name) => ({
  name,
  label: name,
  description: name,
  parameters: { type: "object", properties: {} },
});

export function createTurnSequenceStream(turns) {
  const left = [...turns];
  return () => {
    const content = left.shift();
    if (content === undefined) throw new Error("expected no further request to the model; found one.");
    const stopReason = content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
    const { api, provider, id } = model;
    const message = { role: "assistant", content, api, provider, model: id, usage, stopReason, timestamp: 1 };
    return {
      async *[Symbol.asyncIterator]() {
        yield { type: "done", reason: stopReason, message };
      },
      result: async () => message,
    };
  };
}
