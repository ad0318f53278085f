import { expect, it } from "vitest";
import { tellServiceStatus } from "./service-status.ts";

async function told(access: string, env: NodeJS.ProcessEnv = { NOTIFY_SOCKET: "/run/notify" }): Promise<unknown[]> {
  const calls: unknown[] = [];
  await tellServiceStatus("openclaw-integrity: protected.", {
    env,
    platform: "linux",
    cgroup: () => "0::/system.slice/gateway.service\n",
    systemctl: async (args) => {
      expect(args).toEqual(["show", "--property=NotifyAccess", "gateway.service"]);
      return `NotifyAccess=${access}\n`;
    },
    notify: async (args) => calls.push(args),
  });
  return calls;
}

it("systemd is told where it listens to each process of the service", async () => {
  expect(await told("all")).toEqual([["--status=openclaw-integrity: protected."]]);
});

it("a service that listens to its main process alone, or to none, gets no message: systemd would log a refusal", async () => {
  expect(await told("main")).toEqual([]);
  expect(await told("all", {})).toEqual([]);
});

it("a systemd that cannot be asked is no error", async () => {
  const systemctl = async (): Promise<string> => Promise.reject(new Error("ENOENT"));
  const cgroup = (): string => "0::/a.service\n";
  await tellServiceStatus("x", { env: { NOTIFY_SOCKET: "x" }, platform: "linux", cgroup, systemctl });
});
