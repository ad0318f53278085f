import { describe, expect, it } from "vitest";
import { detectSupervision, type Surroundings } from "./supervisor.ts";

const UNIT = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/openclaw-gateway.service\n";

function service(shown: string, given: Partial<Surroundings> = {}): Partial<Surroundings> {
  return {
    env: { INVOCATION_ID: "c0ffee" },
    platform: "linux",
    pid: 4711,
    cgroup: () => UNIT,
    systemctl: async (args) => {
      expect(args).toEqual(["--user", "show", "--property=Restart,MainPID", "openclaw-gateway.service"]);
      return shown;
    },
    ...given,
  };
}

describe("the supervisor of a gateway", () => {
  it("is systemd, when systemd names this process and starts it again after every end", async () => {
    expect(await detectSupervision(service("Restart=always\nMainPID=4711\n"))).toEqual({ by: "systemd" });
  });

  it("is none in a terminal that systemd started, although OpenClaw's variables are there: the gateway would be gone", async () => {
    expect(await detectSupervision(service("Restart=always\nMainPID=99\n"))).toMatchObject({
      by: undefined,
      reason: expect.stringContaining("not the main process"),
    });
    const terminal = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-1.scope\n";
    expect((await detectSupervision(service("", { cgroup: () => terminal }))).by).toBeUndefined();
  });

  it("is none for a unit that systemd starts again only after a crash", async () => {
    expect(await detectSupervision(service("MainPID=4711\nRestart=on-failure\n"))).toMatchObject({
      by: undefined,
      reason: expect.stringContaining("Restart=on-failure"),
    });
  });

  it("is none where systemd cannot be asked", async () => {
    const systemctl = async (): Promise<string> => Promise.reject(new Error("spawn systemctl ENOENT"));
    expect(await detectSupervision(service("", { systemctl }))).toMatchObject({
      by: undefined,
      reason: expect.stringContaining("ENOENT"),
    });
  });

  it("is asked at the system's manager for a unit of the system", async () => {
    const asked: (readonly string[])[] = [];
    const systemctl = async (args: readonly string[]): Promise<string> => {
      asked.push(args);
      return "Restart=always\nMainPID=4711";
    };
    const found = await detectSupervision(
      service("", { cgroup: () => "0::/system.slice/openclaw.service\n", systemctl }),
    );
    expect(found).toEqual({ by: "systemd" });
    expect(asked).toEqual([["show", "--property=Restart,MainPID", "openclaw.service"]]);
  });

  it("is what the operator names, and nothing where OpenClaw restarts inside of its process", async () => {
    const external = { OPENCLAW_SUPERVISOR_MODE: "external" };
    expect(await detectSupervision({ env: external, platform: "linux" })).toEqual({ by: "external" });
    expect(
      (await detectSupervision({ env: { ...external, OPENCLAW_NO_RESPAWN: "1" }, platform: "linux" })).by,
    ).toBeUndefined();
    expect((await detectSupervision({ env: {}, platform: "linux" })).by).toBeUndefined();
    expect(
      (await detectSupervision({ env: { XPC_SERVICE_NAME: "application.terminal" }, platform: "darwin" })).by,
    ).toBeUndefined();
    expect(
      await detectSupervision({ env: { OPENCLAW_LAUNCHD_LABEL: "ai.openclaw.gateway" }, platform: "darwin" }),
    ).toEqual({
      by: "launchd",
    });
  });
});
