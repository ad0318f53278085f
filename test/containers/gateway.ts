/** Gateways in containers. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type GatewayCommand, GatewayProcess, type RunningGateway } from "../../harness/gateway/index.ts";

/**
 * A gateway whose kill lasts until the container is empty. The process that is killed ends before the gateway, which
 * takes clients until then, in the place of the next one.
 */
export function gatewayIn(command: GatewayCommand, child: ChildProcess): RunningGateway {
  const running = new GatewayProcess(command, child);
  // Every process of the container holds an end of its output.
  const empty = once(child, "close");
  return {
    get end() {
      return running.end;
    },
    whenEnded: () => running.whenEnded(),
    async kill() {
      child.kill("SIGKILL");
      await empty;
    },
  };
}
