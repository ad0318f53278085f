/** The environment and the config of the OpenClaw of a proof: a home of its own, and nothing of the user's. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { MODEL } from "../sessions/messages.ts";
import { TOOL } from "../sessions/sessions.ts";
import { programFile, type KeptHome } from "./kept.ts";
import { GATEWAY_PORT, PROVIDER_PORT, SOCKETS_VARIABLE } from "./sockets.ts";

/** What a process needs of the machine. No variable of OpenClaw, no key and no setting of Node is among them. */
const KEPT =
  /^(PATH|LANG|LC_\w+|TZ|LD_LIBRARY_PATH|DYLD_\w+|SystemRoot|windir|ComSpec|PATHEXT|SystemDrive|PROCESSOR_ARCHITECTURE|NUMBER_OF_PROCESSORS|TMPDIR|TEMP|TMP)$/i;

/** Where the OpenClaw of a proof keeps its things. */
export function placesIn(home: string) {
  const state = join(home, "state");
  return {
    state,
    config: join(state, "openclaw.json"),
    sessions: join(state, "agents", "main", "sessions"),
    agent: join(state, "agents", "main", "agent"),
    workspace: join(home, "workspace"),
    temporary: join(home, "tmp"),
  };
}

/** The part of an environment that a proof passes on. */
export function cleaned(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => KEPT.test(entry[0]) && entry[1] !== undefined),
  );
}

/**
 * The whole environment of OpenClaw: all of its folders in `home`, its network in `sockets`, and off what is no part of
 * a conversation. `hook` is loaded before OpenClaw.
 */
export function environmentIn(
  { home, sockets }: KeptHome,
  env: NodeJS.ProcessEnv,
  hook?: string,
): Record<string, string> {
  const { state, config, agent, temporary } = placesIn(home);
  return {
    ...cleaned(env),
    HOME: home,
    USERPROFILE: home,
    APPDATA: join(home, "appdata"),
    LOCALAPPDATA: join(home, "appdata"),
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_DATA_HOME: join(home, ".local", "share"),
    XDG_STATE_HOME: join(home, ".local", "state"),
    TMPDIR: temporary,
    TEMP: temporary,
    TMP: temporary,
    NODE_OPTIONS: [pathToFileURL(programFile("seal")).href, ...(hook === undefined ? [] : [hook])]
      .map((url) => `--import=${url}`)
      .join(" "),
    [SOCKETS_VARIABLE]: sockets,
    NO_COLOR: "1",
    OPENCLAW_HOME: home,
    OPENCLAW_STATE_DIR: state,
    OPENCLAW_CONFIG_PATH: config,
    OPENCLAW_AGENT_DIR: agent,
    OPENCLAW_NO_RESPAWN: "1",
    OPENCLAW_PACKAGED_COMPILE_CACHE_RESPAWNED: "1",
    OPENCLAW_NO_UPDATE_CHECK: "1",
    OPENCLAW_DISABLE_BONJOUR: "1",
    OPENCLAW_EXEC_SHELL_SNAPSHOT: "0",
    // Releases of spring 2026 look through all their bundled plugins anew whenever this has passed, many times a turn.
    OPENCLAW_PLUGIN_DISCOVERY_CACHE_MS: "3600000",
    OPENCLAW_PLUGIN_MANIFEST_CACHE_MS: "3600000",
    OPENCLAW_SKIP_CHANNELS: "1",
    OPENCLAW_SKIP_BROWSER_CONTROL_SERVER: "1",
    OPENCLAW_SKIP_CANVAS_HOST: "1",
    OPENCLAW_SKIP_CRON: "1",
    OPENCLAW_SKIP_GMAIL_WATCHER: "1",
  };
}

/** Made anew for each gateway, and in no file or command that another user can read. */
export interface Secrets {
  readonly token: string;
  readonly apiKey: string;
}

/** What the config depends on. */
export interface ConfigSettings {
  readonly home: string;
  /** What the gateway wants of the prover, and the provider of the gateway. */
  readonly secrets: Secrets;
  /** Whether the release must be told to fetch no list of models from the network. */
  readonly refreshesCatalog: boolean;
}

/**
 * The config: a gateway on loopback with its HTTP endpoint, one provider, no plugins, no tool that acts. Only keys that
 * the release knows, because it refuses a config with others.
 */
export function configFor({ home, secrets, refreshesCatalog }: ConfigSettings): object {
  const { provider, model, api } = MODEL;
  const places = placesIn(home);
  return {
    models: {
      mode: "replace",
      ...(refreshesCatalog && { catalogRefresh: { enabled: false } }),
      providers: {
        [provider]: {
          baseUrl: `http://127.0.0.1:${PROVIDER_PORT}`,
          apiKey: secrets.apiKey,
          api,
          models: [
            {
              id: model,
              name: model,
              api,
              reasoning: false,
              input: ["text"],
              cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
              contextWindow: 200_000,
              maxTokens: 8192,
            },
          ],
        },
      },
    },
    agents: {
      defaults: { workspace: places.workspace, skipBootstrap: true, model: { primary: `${provider}/${model}` } },
    },
    tools: { allow: [TOOL] },
    plugins: { enabled: false },
    gateway: {
      mode: "local",
      bind: "loopback",
      port: GATEWAY_PORT,
      auth: { mode: "token", token: secrets.token },
      controlUi: { enabled: false },
      http: { endpoints: { chatCompletions: { enabled: true } } },
    },
    logging: { file: join(home, "openclaw.log") },
  };
}
