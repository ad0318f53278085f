import { existsSync } from "node:fs";
import {
  findService,
  installService,
  lastingHookUrl,
  removeService,
  type ServiceChange,
  type ServiceFile,
  type ServiceOptions,
} from "../../register/index.ts";
import { run, type Outcome, type OutputOptions } from "../run.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

const SENTENCES = {
  installed: "starts OpenClaw patched from memory when it is started the next time",
  removed: "starts OpenClaw as it is on the disk when it is started the next time",
} as const;

/** `openclaw-integrity service install` */
export function serviceInstallCommand(options: ServiceOptions & OutputOptions): void {
  change(options, "installed", (service) => installService(service, lastingHookUrl()));
}

/** `openclaw-integrity service remove` */
export function serviceRemoveCommand(options: ServiceOptions & OutputOptions): void {
  change(options, "removed", removeService);
}

function change(
  options: ServiceOptions & OutputOptions,
  wanted: keyof typeof SENTENCES,
  work: (service: ServiceFile) => ServiceChange,
): void {
  run(options, (): Outcome => {
    const made = work(findService(options, process.env));
    const { name, file, action, next } = made;
    const already = wanted === "installed" ? "has the hook already" : "has no hook";
    const removed = existsSync(file) ? "changed" : "deleted";
    return {
      data: { ...made },
      lines: [
        action === "already" ? `${name} ${already}, nothing to do` : `${name} ${SENTENCES[wanted]}`,
        `  ${action === "already" ? "in" : action === "removed" ? removed : "wrote"} ${file}`,
        ...(action === "already" ? [] : ["Run:", ...next.map((line) => `  ${line}`)]),
        ...(action === "installed"
          ? [`Before you uninstall openclaw-integrity, run: ${ownCommand("service remove")}`]
          : []),
      ],
    };
  });
}
