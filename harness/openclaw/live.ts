import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { releasesFolder } from "./releases.ts";
import {
  startOpenClaw,
  toTranscript,
  type ModelApi,
  type OpenClawDriver,
  type OpenClawOptions,
  type RunInput,
} from "./index.ts";
import { makeMakers } from "./samples.ts";
import { startProvider, type RecordedRequest, type StrictProvider } from "../providers/index.ts";

/** A patched OpenClaw, driven in-process, and the provider it talks to. */
export interface Live {
  provider: StrictProvider;
  openclaw: OpenClawDriver;
  close(): Promise<void>;
}

/**
 * Starts a base release, patched by the tests' set-up unless `variant` says stock; with our plugin where its
 * configuration is given. `more` is the driver's own.
 */
export async function startLive(
  release: string,
  variant: "patched" | "stock" = "patched",
  plugin?: object,
  more: Pick<OpenClawOptions, "env" | "log" | "turnTimeoutMs"> = {},
): Promise<Live> {
  const provider = await startProvider();
  const root = join(releasesFolder(), release, variant);
  const openclaw = await startOpenClaw({
    root,
    release,
    providerUrl: provider.url,
    turnTimeoutMs: 90_000,
    ...(plugin && { plugin }),
    ...more,
  });
  return {
    provider,
    openclaw,
    close: async () => {
      await openclaw.close();
      await provider.close();
    },
  };
}

/** What stands in {@link toolSession} and must be in every later request, in one form or another. */
export const SAID = ["remember the heron", "alpha content", "beta content", "gamma content", "all is read"];

/** A healthy session with text, parallel calls of `read`, a long result, and a single call. */
export function toolSession(api: ModelApi): RunInput {
  const { assistant, call, result } = makeMakers(api);
  const messages = [
    { role: "user", content: [{ type: "text", text: "remember the heron and read three files" }] },
    assistant([{ type: "text", text: "two at once" }, call(1), call(2)], "toolUse"),
    result(1, "alpha content"),
    result(2, `beta content ${"b".repeat(1500)}`),
    assistant([call(3)], "toolUse"),
    result(3, "gamma content"),
    assistant([{ type: "text", text: "all is read" }]),
  ];
  return { transcript: toTranscript(messages), api, messages: ["what did I ask you first?"] };
}

/** What a person was told in a plain conversation. */
export function plainSession(api: ModelApi): RunInput {
  const { transcript, messages } = toolSession(api);
  const rows = transcript.trimEnd().split("\n");
  // The header, the first message of the user's, and the last answer on top of it.
  const last = JSON.parse(rows.at(-1)!) as Record<string, unknown>;
  const first = JSON.parse(rows[1]!) as Record<string, unknown>;
  return {
    transcript: `${rows[0]}\n${rows[1]}\n${JSON.stringify({ ...last, parentId: first["id"] })}\n`,
    api,
    messages,
  };
}

/** Texts of {@link SAID} that are in no form in this request. */
export function missingFrom(request: RecordedRequest | undefined, said: readonly string[] = SAID): string[] {
  return said.filter((text) => !request?.raw.includes(text));
}

/** The incidents that the guard has written down so far, oldest first. */
export function incidents(stateDir: string): Record<string, unknown>[] {
  const logs = join(stateDir, "logs");
  if (!existsSync(logs)) return [];
  const files = readdirSync(logs).filter((name) => /^integrity-incident-.*\.json$/.test(name));
  return files.toSorted().map((name) => JSON.parse(readFileSync(join(logs, name), "utf8")) as Record<string, unknown>);
}

/** Statuses of the requests of one turn. */
export function statuses(requests: readonly RecordedRequest[]): number[] {
  return requests.map(({ status }) => status);
}
