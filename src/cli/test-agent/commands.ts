/**
 * `openclaw-integrity test-agent`: the conformance kit for agents. Loaded only when the command is called, because no
 * other command needs the strict providers.
 */
import { InvalidArgumentError, Option, type Command } from "commander";
import type { Form } from "../../conformance/index.ts";
import { atLeastOne } from "../numbers.ts";
import { pageFile } from "../page-file.ts";

/** The forms of histories, listed here so that `--help` does not load them. */
const FORMS = {
  chat: true,
  anthropic: true,
  responses: true,
  gemini: true,
  converse: true,
  "ai-sdk-model": true,
  "ai-sdk-ui": true,
  langchain: true,
  agents: true,
  openclaw: true,
  "openclaw-rows": true,
} satisfies Record<Form, true>;

const LIMIT_S = 60;
const MAX_PORT = 65_535;

/** Adds the command `test-agent`; `withOutputOptions` adds the options of commands that need no installed OpenClaw. */
export function addTestAgentCommand(program: Command, withOutputOptions: (command: Command) => Command): void {
  withOutputOptions(
    program
      .command("test-agent")
      .description(
        "play valid, damaged, broken and killed conversations with an agent, against providers that refuse what the " +
          "real ones refuse, and report what it does wrong; what it says of a call is judged by English words",
      ),
  )
    .usage("[options] -- node agent.mjs")
    .argument("[command...]", "the agent's command, started for each turn; with --url the one that starts its server")
    .option("--url <url>", "send each turn to a server; without a command no kills are played")
    .addOption(
      new Option("--provider-port <port>", "where the provider listens; a free port by default").argParser(portNumber),
    )
    .addOption(new Option("--form <form>", "the form of stored histories").choices(Object.keys(FORMS)).default("chat"))
    .option("--only <words>", "only cases whose id has these words")
    .addOption(
      new Option("--limit <seconds>", "how long the agent has for a turn").default(LIMIT_S).argParser(atLeastOne),
    )
    .addOption(new Option("--html <file>", "also write the report as one page for a browser").argParser(pageFile))
    .option("--cases", "play nothing: print the cases as lines of JSON, as docs/agent-cases.schema.json describes them")
    .passThroughOptions()
    .action(async (command, options) => (await import("./test-agent.ts")).testAgentCommand(command, options));
}

function portNumber(value: string): number {
  const port = atLeastOne(value);
  if (port > MAX_PORT) throw new InvalidArgumentError(`A port of at most ${MAX_PORT} is needed.`);
  return port;
}
