import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, runIn } from "../package/install.ts";

/** A program that gives each framework its adapter, without an assertion of a type. */
const PROGRAM = `import { createReactAgent } from "@langchain/langgraph/prebuilt";
import type { BaseMessage } from "@langchain/core/messages";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { Agent as PiAgent } from "@earendil-works/pi-agent-core";
import { streamSimple } from "@earendil-works/pi-ai/compat";
import { Agent as OldPiAgent } from "@mariozechner/pi-agent-core";
import { Agent, MemorySession, run, Runner } from "@openai/agents";
import { generateText, streamText, tool, ToolLoopAgent, type LanguageModel, type ModelMessage } from "ai";
import { createAgent, createMiddleware } from "langchain";
import { repairStep } from "openclaw-integrity/ai-sdk";
import { repairHook, repairMessages, repairModelCall } from "openclaw-integrity/langchain";
import { repairInput, repairSession } from "openclaw-integrity/openai-agents";
import { repairContext } from "openclaw-integrity/pi-agent-core";
import { z } from "zod";

declare const model: LanguageModel;
declare const llm: BaseChatModel;
declare const messages: ModelMessage[];
const tools = { pay: tool({ inputSchema: z.object({ euros: z.number() }), execute: async () => "paid" }) };

await generateText({ model, tools, messages, prepareStep: repairStep() });
streamText({ model, messages, prepareStep: repairStep({ onRepairs: (changes) => console.log(changes[0]?.kind) }) });
new ToolLoopAgent({ model, tools, prepareStep: async (step) => ({ ...repairStep()(step), toolChoice: "auto" }) });

createAgent({ model: llm, tools: [], middleware: [createMiddleware(repairModelCall())] });
createReactAgent({ llm, tools: [], preModelHook: repairHook({ strategy: "remove_orphans" }) });
export const repaired: BaseMessage[] = await repairMessages<BaseMessage>([]);

const session: MemorySession = repairSession(new MemorySession());
await run(new Agent({ name: "agent" }), "Hello", { session, callModelInputFilter: repairInput() });
new Runner({ callModelInputFilter: repairInput({ onRepairs: () => {} }) });

new PiAgent({ streamFn: streamSimple, transformContext: repairContext() });
new OldPiAgent({ transformContext: repairContext() });

// @ts-expect-error -- the options are typed
repairStep({ strategy: "forget" });
`;

/** Compiles a program in the folder that has the frameworks and the library; what the compiler says against it. */
export function findTypeErrors(folder: string): string[] {
  writeFileSync(join(folder, "typed.mts"), PROGRAM);
  const compiler = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const options =
    "--ignoreConfig --noEmit --strict --skipLibCheck --target es2024 --types node --module nodenext".split(" ");
  const printed = runIn(folder, process.execPath, [compiler, ...options, "typed.mts"]);
  return printed.split("\n").filter((line) => line !== "");
}
