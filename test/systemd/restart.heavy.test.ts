/** Releases that restart on an older signal: the plugin patches one, and systemd starts it again. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { startProvider } from "../../harness/providers/index.ts";
import { status } from "../../src/patching/apply.ts";
import { gatewayService, SICK } from "./gateway-service.ts";
import { installGlobally } from "./install.ts";
import { bootMachine, whyNot } from "./machine.ts";

const RELEASES = process.env.RELEASES?.split(",") ?? ["2026.2.26", "2026.5.28", "2026.8.2"];
const reason = whyNot();
if (reason !== undefined) console.log(`skipped, no systemd can be booted: ${reason}`);

it.skipIf(reason !== undefined).each(RELEASES)(
  "OpenClaw %s as a service, unpatched: the plugin patches it, systemd restarts it once, the corrupt session is answered",
  async (release) => {
    const machine = await bootMachine();
    const provider = await startProvider();
    try {
      const root = installGlobally(machine, release);
      const openclaw = join(root, "node_modules", "openclaw");
      const service = await gatewayService(machine, { root, release, providerUrl: provider.url });
      const { gateway, journal, property } = service;
      const first = await property("MainPID");
      expect(status(openclaw).state).toBe("stock");
      const end = Date.now() + 400_000;
      // Not from the letterbox: releases before 2026.9 may not know it as a channel to send to.
      while (!(await journal()).includes("active again") && Date.now() < end) await sleep(1000);
      expect(await journal()).toContain(`active again in OpenClaw ${release}`);
      expect(status(openclaw)).toMatchObject({ release, state: "patched" });
      expect(await property("NRestarts")).toBe("1");
      expect(await property("MainPID")).not.toBe(first);
      await gateway.start();
      expect((await gateway.send(SICK, "hello again")).finalText).toMatch(/^ok/);
    } catch (error) {
      console.log(await machine.run("journalctl", ["--no-pager", "-n", "80", "--output=cat"]).catch(String));
      throw error;
    } finally {
      await machine.close();
      await provider.close();
    }
  },
  900_000,
);
