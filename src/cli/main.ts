#!/usr/bin/env node
/** `openclaw-integrity` */
import { fileTrouble } from "../base/file-trouble.ts";
import { complain, sayText } from "../base/terminal.ts";
import { program } from "./program.ts";
import { complainOfOthers, EXIT } from "./run.ts";

// An unexpected error is a bug in openclaw-integrity: print all that is known.
process.on("uncaughtException", (error: unknown) => {
  const trouble = fileTrouble(error);
  if (trouble !== undefined) {
    complain(`openclaw-integrity: refused (${trouble.code}): ${trouble.message}`);
    process.exit(EXIT.refused);
  }
  sayText(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`, "stderr");
  complainOfOthers();
  complain("openclaw-integrity: this is a bug in openclaw-integrity; please report it.");
  process.exit(EXIT.refused);
});

program.parse();
