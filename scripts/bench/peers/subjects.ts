import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { carelessBody } from "../../../harness/arbitrary/bodies.ts";
import { listViolations } from "../../../harness/providers/index.ts";
import { healingFetch } from "../../../src/fetch/index.ts";
import type { RENDER } from "../../../harness/lists/forms.ts";
import { repair as repairList } from "../../../src/lists/index.ts";
import { repair } from "../../../src/transcript/repair.ts";
import { heal } from "../../../src/wire/heal.ts";
import { prepare } from "../../../src/wire/prepare.ts";
import { specified } from "../../disk-repair/specified.ts";
import {
  asDictionaries,
  asItems,
  asLangChain,
  asModelMessages,
  type LangChainMessages,
  type Message,
} from "./formats.ts";

type Json = Record<string, unknown>;

/** What is done to a history before a model call. */
export interface Subject {
  /** The history in the project's own format; made outside of what is measured. */
  readonly from: (messages: readonly Message[]) => unknown;
  /** Returns the history that is sent, or a promise of it. */
  readonly run: (history: unknown) => unknown;
  /** The form of what is sent, of harness/lists. */
  readonly form: keyof typeof RENDER;
  /** The history in this form, where the project's own objects are others. */
  readonly plain?: (history: unknown) => readonly unknown[];
}

/** Where the other projects are: installed for the benchmark, and the stock releases of OpenClaw. */
export interface Folders {
  readonly peers: string | undefined;
  /** OpenClaw's dist folder by release. */
  readonly openclaw: Readonly<Record<string, string>>;
}

/** A subject by name; `load` returns undefined where its project is not installed. */
export interface Entry {
  readonly name: string;
  /** What it does with a history. */
  readonly does: string;
  readonly load: (folders: Folders) => Promise<Subject | undefined>;
}

const API = "anthropic-messages";
const CHAT = "openai-completions";
const MODEL = { api: API, provider: "anthropic", id: "claude-opus-4-5", input: ["text", "image"] };
/** What OpenClaw's own policy for Anthropic asks of its sanitising. */
const POLICY = {
  sanitizeMode: "full",
  sanitizeToolCallIds: true,
  toolCallIdMode: "strict",
  repairToolUseResultPairing: true,
  preserveSignatures: true,
  validateAnthropicTurns: true,
  allowSyntheticToolResults: true,
};
const same = (messages: readonly Message[]): unknown => messages;

async function peer(folders: Folders, file: string): Promise<Json | undefined> {
  if (folders.peers === undefined) return undefined;
  return (await import(pathToFileURL(join(folders.peers, "node_modules", file)).href)) as Json;
}

/** Takes a function out of OpenClaw's files that does not export it, by exporting it while Node loads the file. */
async function openclaw(folders: Folders, release: string, file: RegExp, name: string): Promise<unknown> {
  const dist = folders.openclaw[release];
  if (dist === undefined) return undefined;
  const { readdirSync } = await import("node:fs");
  const declared = new RegExp(`^(async )?function ${name}\\(`, "m");
  const found = readdirSync(dist).find(
    (each) => file.test(each) && declared.test(readFileSync(join(dist, each), "utf8")),
  );
  if (found === undefined) return undefined;
  const url = pathToFileURL(join(dist, found)).href;
  registerHooks({
    load: (asked, context, next) => {
      const loaded = next(asked, context);
      if (asked !== url) return loaded;
      return {
        ...loaded,
        source: `${String(loaded.source ?? readFileSync(join(dist, found)))}\nexport { ${name} as measured };`,
      };
    },
  });
  return ((await import(url)) as { measured: unknown }).measured;
}

/** Sends messages through `healingFetch` to a strict server in this process; returns what was sent at last. */
async function sendHealed(messages: unknown): Promise<unknown> {
  let sent: Json = {};
  const healing = healingFetch({
    fetch: async (_url, init) => {
      sent = JSON.parse(String(init?.body)) as Json;
      const [violation] = listViolations(CHAT, sent);
      if (violation === undefined)
        return Response.json({ choices: [{ message: { role: "assistant", content: "ok" } }] });
      const error = { message: violation.message, type: "invalid_request_error", param: null, code: null };
      return Response.json({ error }, { status: 400 });
    },
  });
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ model: "m", messages });
  await healing("https://api.openai.com/v1/chat/completions", { method: "POST", headers, body });
  return sent["messages"];
}

type Work = (...words: unknown[]) => unknown;

async function loadLangChain(folders: Folders): Promise<(Json & LangChainMessages) | undefined> {
  return (await peer(folders, "@langchain/core/dist/messages/index.js")) as (Json & LangChainMessages) | undefined;
}

function openclawEntries(release: string, files: RegExp): Entry[] {
  return [
    {
      name: `OpenClaw ${release}: repairToolUseResultPairing`,
      does: "moves results to their calls, completes and removes",
      load: async (folders) => {
        const work = (await openclaw(folders, release, files, "repairToolUseResultPairing")) as Work | undefined;
        return (
          work && { form: "openclaw", from: same, run: (history) => (work(history) as { messages: unknown }).messages }
        );
      },
    },
    {
      name: `OpenClaw ${release}: sanitizeSessionHistory`,
      does: "the same, and images, ids, signatures",
      load: async (folders) => {
        const work = (await openclaw(folders, release, files, "sanitizeSessionHistory")) as Work | undefined;
        return (
          work && {
            form: "openclaw",
            from: same,
            run: (messages) => work({ messages, policy: POLICY, sessionId: "s" }),
          }
        );
      },
    },
  ];
}

/** All that is compared, ours first. */
export const SUBJECTS: readonly Entry[] = [
  {
    name: "ours: repair",
    does: "makes every history valid",
    load: async () => ({ form: "openclaw", from: same, run: (history) => repair(history as unknown[]).messages }),
  },
  {
    name: "ours: prepare",
    does: "the same, in the form that the adapter reads",
    load: async () => ({ form: "openclaw", from: same, run: (history) => prepare(API, history as unknown[]) }),
  },
  {
    name: "ours: heal",
    does: "makes the finished body valid",
    load: async () => ({
      form: "chat",
      from: (messages) => carelessBody(CHAT, [...messages])["messages"],
      run: (messages) => (heal(CHAT, { model: "m", messages }) as Json)["messages"],
    }),
  },
  {
    name: "ours: repair, then heal",
    does: "both, one after the other",
    load: async () => ({
      form: "chat",
      from: (messages) => carelessBody(CHAT, [...messages])["messages"],
      run: (history) => {
        const { messages } = repairList(history as unknown[]);
        return (heal(CHAT, { model: "m", messages }) as Json)["messages"];
      },
    }),
  },
  {
    name: "ours: healingFetch",
    does: "heals the request, and a refused one again, at most twice",
    load: async () => ({
      form: "chat",
      from: (messages) => carelessBody(CHAT, [...messages])["messages"],
      run: sendHealed,
    }),
  },
  {
    name: "the Layer 0 specification's repair",
    does: "removes results that do not stand behind their call, and calls without a result",
    load: async () => ({
      form: "openclaw",
      from: same,
      run: (history) => {
        const rows = (history as readonly Message[]).map((message) => JSON.stringify({ type: "message", message }));
        return specified(rows).map((row) => (JSON.parse(row) as { message: Message }).message);
      },
    }),
  },
  ...openclawEntries("2026.2.3", /^extensionAPI\.js$/),
  ...openclawEntries("2026.9.6", /^(session-transcript-repair|builtin-openclaw)-.*\.mjs$/),
  {
    name: "@mariozechner/pi-ai: transformMessages",
    does: "completes calls, leaves out failed turns, fits to the model",
    load: async (folders) => {
      const found = await peer(folders, "@mariozechner/pi-ai/dist/providers/transform-messages.js");
      return (
        found && {
          form: "openclaw",
          from: same,
          run: (history) => (found["transformMessages"] as Work)(history, MODEL),
        }
      );
    },
  },
  {
    name: "@openai/agents: dropOrphanToolCalls",
    does: "removes calls without a result",
    load: async (folders) => {
      const found = await peer(folders, "@openai/agents-core/dist/runner/items.mjs");
      return found && { form: "agents", from: asItems, run: found["dropOrphanToolCalls"] as Work };
    },
  },
  {
    name: "ai: convertToLanguageModelPrompt",
    does: "converts, refuses calls without a result",
    load: async (folders) => {
      const found = await peer(folders, "ai/dist/internal/index.js");
      const work = found?.["convertToLanguageModelPrompt"] as Work | undefined;
      return (
        work && {
          form: "ai-sdk-model",
          from: asModelMessages,
          run: (messages) => work({ prompt: { messages }, supportedUrls: {}, download: undefined }),
        }
      );
    },
  },
  {
    name: "@langchain/core: mergeMessageRuns",
    does: "joins neighbours of one role, repairs nothing",
    load: async (folders) => {
      const found = await loadLangChain(folders);
      return (
        found && {
          form: "langchain",
          plain: asDictionaries,
          from: (messages) => asLangChain(messages, found),
          run: (history) => (found["mergeMessageRuns"] as Work)(history),
        }
      );
    },
  },
  {
    name: "deepagents: createPatchToolCallsMiddleware",
    does: "completes calls, removes results without a call",
    load: async (folders) => {
      const classes = await loadLangChain(folders);
      const found = await peer(folders, "deepagents/dist/index.js");
      if (!classes || !found) return undefined;
      const { wrapModelCall } = (found["createPatchToolCallsMiddleware"] as Work)() as { wrapModelCall: Work };
      return {
        form: "langchain",
        plain: asDictionaries,
        from: (messages) => asLangChain(messages, classes),
        run: (messages) => wrapModelCall({ messages }, (request: Json) => request["messages"]),
      };
    },
  },
];
