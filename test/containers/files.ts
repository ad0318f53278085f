/** The example files, read as their engines read them: as far as they go. */
import { readFileSync } from "node:fs";
import { parse } from "yaml";

const FOLDER = new URL("../../examples/containers/", import.meta.url);

/** An instruction of a Dockerfile. */
export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** The service of compose.yaml. */
export interface Service {
  readonly build: { readonly dockerfile: string };
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly read_only: boolean;
  readonly tmpfs: readonly string[];
  readonly volumes: readonly string[];
  readonly healthcheck: { readonly test: readonly string[] };
}

/** The instructions of a Dockerfile without continued lines. */
export function parseDockerfile(name: string): readonly Instruction[] {
  const lines = readFileSync(new URL(name, FOLDER), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const at = line.indexOf(" ");
    return { name: line.slice(0, at), rest: line.slice(at + 1) };
  });
}

/** The variables of the ENV lines. */
export function readEnvironment(instructions: readonly Instruction[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    instructions
      .filter(({ name }) => name === "ENV")
      .map(({ rest }) => [rest.slice(0, rest.indexOf("=")), rest.slice(rest.indexOf("=") + 1).replaceAll('"', "")]),
  );
}

/** The one service of compose.yaml. */
export function service(): Service {
  const { services } = parse(readFileSync(new URL("compose.yaml", FOLDER), "utf8")) as {
    readonly services: Readonly<Record<string, Service>>;
  };
  const [only] = Object.values(services);
  if (only === undefined) throw new Error("compose.yaml has no service");
  return only;
}
