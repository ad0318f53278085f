/** The hook in the service of a real systemd: `service install` patches the gateway, `service remove` leaves nothing. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startProvider } from "../../harness/providers/index.ts";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { gatewayService, SICK } from "./gateway-service.ts";
import { bootMachine, HOME, whyNot } from "./machine.ts";

const reason = whyNot();
if (reason !== undefined) console.log(`skipped, no systemd can be booted: ${reason}`);

it.skipIf(reason !== undefined)(
  "a gateway's user unit runs patched from memory while the drop-in is there, and is as before when it is removed",
  async () => {
    const { stock } = await ensureRelease("2026.9.6");
    // Installed without its install scripts, OpenClaw ends its installation at its first start, and the machine's is read-only.
    execFileSync(process.execPath, [join(stock, "openclaw.mjs"), "--version"]);
    const machine = await bootMachine();
    const provider = await startProvider();
    try {
      const root = join(stock, "..", "..");
      const service = await gatewayService(machine, { root, release: "2026.9.6", providerUrl: provider.url });
      const { gateway, integrity, systemctl, journal } = service;
      const units = (): Promise<string> =>
        machine.run("sh", ["-c", `find ${HOME}/.config/systemd -type f -exec sha256sum {} + | sort`]);
      const before = await units();
      const installed = await integrity("service", "install");
      expect(await units()).not.toBe(before);
      await systemctl("daemon-reload");
      await systemctl("restart", "openclaw-gateway.service");
      await gateway.start();
      expect((await gateway.send(SICK, "hello")).finalText).toMatch(/^ok/);
      expect(await journal()).toContain("runs patched from memory");
      const told: string[] = [];
      for (const command of ["status", "verify", "explain"])
        told.push(await integrity(command, "--path", stock).catch((error) => `${command} failed: ${String(error)}`));
      console.log([installed, ...told].join("\n----\n"));
      expect(told[0]).toContain("openclaw-gateway.service");
      const removed = await integrity("service", "remove");
      expect(await units()).toBe(before);
      await systemctl("daemon-reload");
      await systemctl("restart", "openclaw-gateway.service");
      await gateway.start();
      expect((await systemctl("show", "--property=Environment", "openclaw-gateway.service")).includes("register")).toBe(
        false,
      );
      expect((await journal()).match(/runs patched from memory/g)).toHaveLength(1);
      console.log(removed);
    } catch (error) {
      console.log(await machine.run("journalctl", ["--no-pager", "-n", "60"]).catch(String));
      throw error;
    } finally {
      await machine.close();
      await provider.close();
    }
  },
  600_000,
);
