/** A real gateway as a user service of a real systemd, which `openclaw gateway install` has made. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { transcriptPath } from "../../harness/corpus/case.ts";
import { gatewayEnvironment } from "../../harness/gateway/config.ts";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { settingsWithPeople } from "../../harness/gateway/people.ts";
import { HOME, type Machine } from "./machine.ts";

export const SICK = "agent:main:sick";
const UNIT = "openclaw-gateway.service";
/** OpenClaw installs no service whose state is elsewhere than in the home of its user. */
const STATE = ["OPENCLAW_HOME", "OPENCLAW_STATE_DIR", "OPENCLAW_CONFIG_PATH", "OPENCLAW_AGENT_DIR"];
const NOT_IN_A_SERVICE = ["HOME", "PATH", "TMPDIR", "NODE_COMPILE_CACHE", "OPENCLAW_NO_RESPAWN", ...STATE];
const CLI = fileURLToPath(new URL("../../dist/cli.mjs", import.meta.url));

export interface GatewayService {
  readonly gateway: Gateway;
  /** Runs `openclaw` inside. */
  openclaw(...args: string[]): Promise<string>;
  /** Runs `openclaw-integrity` inside. */
  integrity(...args: string[]): Promise<string>;
  /** A property of the unit. */
  property(name: string): Promise<string>;
  systemctl(...args: string[]): Promise<string>;
  journal(): Promise<string>;
  letters(): string;
}

/** Installs the service for the OpenClaw in `root`/node_modules and starts it; a corrupt session is stored. */
export async function gatewayService(
  machine: Machine,
  { root, release, providerUrl }: { readonly root: string; readonly release: string; readonly providerUrl: string },
): Promise<GatewayService> {
  const home = join(machine.shared, `home-${release}`);
  for (const path of ["state/agents/main/agent", "state/agents/main/sessions", "tmp", "workspace"])
    mkdirSync(join(home, path), { recursive: true });
  const file = join(home, "letters");
  const installed = join(root, "node_modules", "openclaw");
  const config = { logLevel: "info", keepPatched: { enabled: true }, notify: { channel: "letterbox", to: "owner" } };
  const { settings, env: channels } = settingsWithPeople(join(installed, "dist"), ["letterbox:owner-1"], config);
  const all: Record<string, string> = { ...gatewayEnvironment(home, providerUrl), ...channels, LETTERBOX: file };
  // What a service has of its own, what is not for a read-only folder, and what would forbid the restart.
  for (const name of NOT_IN_A_SERVICE) delete all[name];
  const path = `${dirname(process.execPath)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;
  const env = { ...all, PATH: path, npm_config_prefix: dirname(root), CI: "true" };
  const run = (...args: string[]): Promise<string> => machine.run(process.execPath, args, env);
  const systemctl = (...args: string[]): Promise<string> => machine.run("systemctl", ["--user", ...args]);
  const openclaw = (...args: string[]): Promise<string> => run(join(installed, "openclaw.mjs"), ...args);
  const gateway = await openGateway({
    root,
    release,
    providerUrl,
    home,
    scopes: ["operator.read", "operator.write", "operator.admin"],
    settings,
    // systemd starts it; the test only connects.
    launch: () => ({ end: undefined, whenEnded: () => new Promise(() => {}), kill: async () => {} }),
  });
  await gateway.seed(SICK, readFileSync(transcriptPath("a-first-message-is-a-result"), "utf8"));
  const configured = JSON.parse(readFileSync(join(home, "state", "openclaw.json"), "utf8")) as {
    gateway: { port: number };
  };
  await machine.run("mkdir", ["-p", `${HOME}/.openclaw`, `${HOME}/.config`]);
  // OpenClaw installs no unit in a folder that others may write to.
  await machine.run("mount", ["-t", "tmpfs", "-o", "mode=0700", "tmpfs", `${HOME}/.config`]);
  await machine.run("mount", ["--bind", join(home, "state"), `${HOME}/.openclaw`]);
  // Before the drop-in: with it there already, OpenClaw 2026.9.6 took it for a change during the installation.
  await openclaw("gateway", "install", "--force", "--port", String(configured.gateway.port));
  const lines = Object.entries(all).map(([name, value]) => `Environment="${name}=${value.replaceAll("%", "%%")}"`);
  writeFileSync(join(machine.shared, "10-test.conf"), ["[Service]", ...lines, ""].join("\n"));
  const dropIns = `${HOME}/.config/systemd/user/${UNIT}.d`;
  await machine.run("mkdir", ["-p", dropIns]);
  await machine.run("cp", [join(machine.shared, "10-test.conf"), dropIns]);
  await systemctl("daemon-reload");
  await systemctl("restart", UNIT);
  await gateway.start();
  return {
    gateway,
    openclaw,
    integrity: (...args) => run(CLI, ...args),
    property: async (name) => (await systemctl("show", "--value", `--property=${name}`, UNIT)).trim(),
    systemctl,
    journal: () => machine.run("journalctl", ["--no-pager", "--output=cat", `_SYSTEMD_USER_UNIT=${UNIT}`]),
    letters: () => (existsSync(file) ? readFileSync(file, "utf8") : ""),
  };
}
