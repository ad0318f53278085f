import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ModelApi } from "../corpus/case.ts";
import { quietHost, type HostAccess } from "./host.ts";
import { takeBody, type Adapter, type StreamFunction } from "./adapter.ts";

interface PiAi {
  streamSimple: StreamFunction;
}

interface ApiRegistry {
  getApiProvider(api: string): { streamSimple: StreamFunction } | undefined;
}

interface OpenClawAi extends HostAccess {
  createApiRegistry(): ApiRegistry;
  registerBuiltInApiProviders(registry: ApiRegistry): void;
  createBoundaryAwareStreamFnForModel(model: object): StreamFunction | undefined;
}

async function importFile<T>(...path: string[]): Promise<T> {
  return (await import(pathToFileURL(join(...path)).href)) as T;
}

/** Adapters of the releases that bring pi-ai. */
async function piAdapters(release: string, modules: string): Promise<Adapter[]> {
  const { streamSimple } = await importFile<PiAi>(modules, "@mariozechner", "pi-ai", "dist", "index.js");
  const apis: ModelApi[] = [
    "anthropic-messages",
    "openai-completions",
    "openai-responses",
    "google-generative-ai",
    "bedrock-converse-stream",
  ];
  return [{ name: release, apis, build: (model, messages) => takeBody(streamSimple, model, messages) }];
}

/** Adapters of the releases that bring `@openclaw/ai`: the transports that OpenClaw itself uses, and the providers. */
async function ownAdapters(release: string, modules: string): Promise<Adapter[]> {
  const dist = join(modules, "@openclaw", "ai", "dist");
  const [index, providers, transports] = await Promise.all([
    importFile<OpenClawAi>(dist, "index.mjs"),
    importFile<OpenClawAi>(dist, "providers.mjs"),
    importFile<OpenClawAi>(dist, "transports.mjs"),
  ]);
  const registry = index.createApiRegistry();
  providers.registerBuiltInApiProviders(registry);
  // Loading it also gives the transports OpenClaw itself as their host, with its own preparation of messages.
  const google = await googleTransport(join(modules, "openclaw", "dist"));
  quietHost(index);
  return [
    {
      name: `${release} transport`,
      apis: ["anthropic-messages", "openai-completions", "openai-responses", "google-generative-ai"],
      build: (model, messages) => {
        const stream =
          model.api === "google-generative-ai" ? google : transports.createBoundaryAwareStreamFnForModel(model)!;
        return takeBody(stream, model, messages);
      },
    },
    {
      name: `${release} provider`,
      apis: ["anthropic-messages", "openai-completions", "openai-responses", "google-generative-ai"],
      build: (model, messages) => takeBody(registry.getApiProvider(model.api)!.streamSimple, model, messages),
    },
  ];
}

/** Gemini's transport is a plugin's, bundled into a chunk that exports it under a letter. */
async function googleTransport(dist: string): Promise<StreamFunction> {
  const name = "createGoogleGenerativeAiTransportStreamFn";
  for (const file of readdirSync(dist).filter((entry) => /^transport-stream-.*\.mjs$/.test(entry))) {
    const exported = new RegExp(`${name} as (\\w+)`).exec(readFileSync(join(dist, file), "utf8"))?.[1];
    if (exported === undefined) continue;
    const chunk = await importFile<Record<string, () => StreamFunction>>(dist, file);
    return chunk[exported]!();
  }
  throw new Error(`No chunk in ${dist} exports ${name}`);
}

/**
 * The real adapters of an installed release, taken from its own folder.
 *
 * @param openclaw The release's `node_modules/openclaw`.
 */
export async function loadAdapters(release: string, openclaw: string): Promise<Adapter[]> {
  const modules = join(openclaw, "..");
  return readdirSync(modules).includes("@openclaw") ? ownAdapters(release, modules) : piAdapters(release, modules);
}
