/** `openclaw update` of a patched gateway that runs as a user service of a real systemd, with messages all the time. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { startProvider } from "../../harness/providers/index.ts";
import { apply, status } from "../../src/patching/apply.ts";
import { gatewayService, SICK } from "./gateway-service.ts";
import { installGlobally } from "./install.ts";
import { bootMachine, whyNot } from "./machine.ts";

const KEYS = [SICK, "agent:main:one", "agent:main:two"];
const reason = whyNot();
if (reason !== undefined) console.log(`skipped, no systemd can be booted: ${reason}`);

it.skipIf(reason !== undefined)(
  "openclaw update of a running service: no message is lost, one restart by systemd, and it ends patched",
  async () => {
    const machine = await bootMachine();
    const provider = await startProvider();
    const log: string[] = [];
    const began = Date.now();
    const note = (text: string): void => {
      log.push(`${((Date.now() - began) / 1000).toFixed(1)} s: ${text}`);
    };
    const sent = { answered: 0, again: 0, lost: 0 };
    const now = { isOver: false };
    let talking: Promise<void>[] = [];
    try {
      const root = installGlobally(machine, "2026.9.5");
      const openclaw = join(root, "node_modules", "openclaw");
      apply(openclaw);
      note("2026.9.5 is installed and patched");
      const service = await gatewayService(machine, { root, release: "2026.9.5", providerUrl: provider.url });
      note("the service answers");
      const { gateway, letters, property } = service;
      let connecting: Promise<void> | undefined;
      const connect = (): Promise<void> =>
        (connecting ??= gateway
          .start()
          .catch(() => undefined)
          .finally(() => (connecting = undefined)));
      talking = KEYS.map(async (key) => {
        for (let nth = 1; !now.isOver; nth += 1) {
          for (;;) {
            if (now.isOver) return;
            try {
              const { finalText } = await gateway.send(key, `message ${nth} of ${key}`);
              if (finalText.startsWith("ok")) sent.answered += 1;
              else {
                sent.lost += 1;
                note(`message ${nth} of ${key}: ${finalText.slice(0, 200)}`);
              }
              break;
            } catch (error) {
              if (sent.again++ % 20 === 0) note(`message ${nth} of ${key} waits: ${String(error).slice(0, 160)}`);
              await sleep(1000);
              await connect();
            }
          }
          await sleep(3000);
        }
      });
      await sleep(8000);
      const unpatched = sent.lost;
      note(`openclaw update begins; MainPID ${await property("MainPID")}`);
      const updated = await service.openclaw("update", "--tag", "2026.9.6", "--yes");
      note(`it has ended: ${updated.trim().split("\n").slice(-3).join(" | ")}`);
      note(`OpenClaw ${status(openclaw).release}, ${status(openclaw).state}; MainPID ${await property("MainPID")}`);
      const end = Date.now() + 400_000;
      while (!letters().includes("active again") && Date.now() < end) await sleep(500);
      note(`over; systemd restarted it ${await property("NRestarts")} times`);
      expect(letters()).toContain("active again in OpenClaw 2026.9.6");
      expect(status(openclaw)).toMatchObject({ release: "2026.9.6", state: "patched" });
      expect(await property("NRestarts")).toBe("1");
      await sleep(10_000);
      expect(sent.lost - unpatched).toBe(0);
      expect(letters().match(/restarts as soon as/g)).toHaveLength(1);
      console.log(letters());
    } catch (error) {
      console.log(await machine.run("journalctl", ["--no-pager", "-n", "80", "--output=cat"]).catch(String));
      throw error;
    } finally {
      now.isOver = true;
      console.log(log.join("\n"), JSON.stringify(sent));
      await Promise.race([Promise.all(talking), sleep(20_000)]);
      await machine.close();
      await provider.close();
    }
  },
  1_800_000,
);
