/** The line that `systemctl status` shows of a service. */
import { askSystemd, here, type Surroundings } from "../keep-patched/supervisor.ts";

/**
 * Tells systemd a status, where it listens to the processes of this service: where it has set NOTIFY_SOCKET, and
 * NotifyAccess is `all`. OpenClaw's own service has neither. Never throws.
 */
export async function tellServiceStatus(status: string, given: Partial<Surroundings> = {}): Promise<void> {
  const around = { ...here(), ...given };
  if (around.platform !== "linux" || (around.env.NOTIFY_SOCKET ?? "") === "") return;
  try {
    const { values } = await askSystemd(around, ["NotifyAccess"]);
    if (values.get("NotifyAccess") === "all") await around.notify([`--status=${status}`]);
  } catch {
    // Whoever asks openclaw-integrity is told all the same.
  }
}
