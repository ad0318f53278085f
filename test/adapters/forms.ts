/** The adapters as functions of a list in the form that their frameworks give them. */
import type { ChatMessage } from "../../src/adapters/langchain.ts";
import { repairStep } from "../../src/adapters/ai-sdk.ts";
import { repairHook, repairMessages, repairModelCall } from "../../src/adapters/langchain.ts";
import { repairInput, repairSession } from "../../src/adapters/openai-agents.ts";
import { repairContext } from "../../src/adapters/pi-agent-core.ts";
import type { RepairAsOptions } from "../../src/lists/repair-list.ts";
import type { RENDER } from "../../harness/lists/forms.ts";

/** How a test calls an adapter. */
export interface Adapter {
  readonly name: string;
  readonly form: keyof typeof RENDER;
  /** The given list where the adapter leaves the framework's own. */
  readonly repair: (list: object[], options?: RepairAsOptions) => Promise<object[]>;
}

/** A message as `@langchain/core` has it, as far as the adapter sees it. */
export class Message implements ChatMessage {
  readonly #stored: object;

  constructor(stored: object) {
    this.#stored = stored;
  }

  toDict(): object {
    return { ...this.#stored };
  }
}

/** The messages of a list of stored ones, so that the same one is the same object. */
const messages = new WeakMap<object, Message>();
function toMessage(stored: object): Message {
  const message = messages.get(stored) ?? new Message(stored);
  messages.set(stored, message);
  return message;
}

type RepairMessages = (list: Message[], options?: RepairAsOptions) => Promise<Message[]>;

function ofLangChain(name: string, repair: RepairMessages): Adapter {
  return {
    name,
    form: "langchain",
    async repair(list, options) {
      const given = list.map(toMessage);
      const repaired = await repair(given, options);
      if (repaired === given) return list;
      return repaired.map((message) => list[given.indexOf(message)] ?? message.toDict());
    },
  };
}

export const ADAPTERS: readonly Adapter[] = [
  {
    name: "AI SDK",
    form: "ai-sdk-model",
    repair: async (list, options) => repairStep(options)({ messages: list })?.messages ?? list,
  },
  ofLangChain("LangChain's messages", repairMessages),
  ofLangChain("LangChain's middleware", (list, options) =>
    repairModelCall(options).wrapModelCall({ messages: list }, (request) => request.messages),
  ),
  ofLangChain("LangGraph's hook", async (list, options) => {
    const { llmInputMessages } = await repairHook(options)({ messages: list });
    return llmInputMessages;
  }),
  {
    name: "openai-agents' filter",
    form: "agents",
    repair: async (list, options) => repairInput(options)({ modelData: { input: list } }).input,
  },
  {
    name: "openai-agents' session",
    form: "agents",
    repair: (list, options) => repairSession({ getItems: async () => list }, options).getItems(),
  },
  { name: "pi-agent-core", form: "openclaw", repair: (list, options) => repairContext(options)(list) },
];
