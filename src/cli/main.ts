#!/usr/bin/env node
/** `openclaw-integrity` */
import { fileTrouble } from "../base/file-trouble.ts";
import { complain, sayText } from "../base/terminal.ts";
import { complainOfOthers, EXIT } from "./run.ts";

process.on("uncaughtException", endWith);

try {
  // Imported here, so that a file of the program that cannot be read is refused as such.
  if (process.argv.length === 2) {
    const { frontDoor } = await import("./front-door.ts");
    await frontDoor({});
  } else {
    const { program, withoutCommand } = await import("./program.ts");
    const isOption = withoutCommand.options.some(({ long }) => long === process.argv[2]?.split("=", 1)[0]);
    (isOption ? withoutCommand : program).parse();
  }
} catch (error) {
  endWith(error);
}

/** Ends the process with an error. An unexpected one is a bug in openclaw-integrity: all that is known is printed. */
function endWith(error: unknown): never {
  const trouble = fileTrouble(error);
  if (trouble === undefined) {
    sayText(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`, "stderr");
    complainOfOthers();
    complain("openclaw-integrity: this is a bug in openclaw-integrity; please report it.");
  } else complain(`openclaw-integrity: refused (${trouble.code}): ${trouble.message}`, "bad");
  process.exit(EXIT.refused);
}
