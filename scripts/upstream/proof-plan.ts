import type { ModelApi } from "../../harness/corpus/case.ts";
import { APIS, FAULTS, type FaultName } from "../../harness/providers/index.ts";
import { type Fields, readFields } from "./json.ts";

/** One change of a compiled file: `find`, which stands once in the function, becomes `replace`. */
export interface CompiledEdit {
  /** The npm package whose dist holds the function. */
  readonly package: string;
  /** Name of the function; it must be declared in one chunk only. */
  readonly function: string;
  readonly find: string;
  readonly replace: string;
}

/** An OpenClaw to run a scenario on. */
export interface Subject {
  readonly release: string;
  /** Folder that contains `node_modules/openclaw`. */
  readonly root: string;
}

/** What is run before and after. */
export type Scenario =
  /** A transcript of harness/corpus and two messages. */
  | { readonly kind: "corpus"; readonly case: string; readonly api: ModelApi }
  /** A sound session in a channel; the provider refuses one message with one of its faults. */
  | { readonly kind: "refused-in-chat"; readonly api: ModelApi; readonly fault: FaultName }
  /** The same transcript and messages the way that OpenClaw's channels take. */
  | { readonly kind: "chat"; readonly case: string; readonly api: ModelApi }
  /** kill -9 while the second of two parallel calls still runs. */
  | { readonly kind: "killed-batch"; readonly api: ModelApi }
  /** kill -9 the moment that a branch of a stored session is stored. */
  | { readonly kind: "killed-branch"; readonly api: ModelApi };

/** How a pull request is carried over into an installed release, and what shows its effect. */
export interface ProofPlan {
  readonly release: string;
  readonly edits: readonly CompiledEdit[];
  readonly scenarios: readonly Scenario[];
  /** How many tests the pull request has, and how many of them fail without its change. */
  readonly ownTest: { readonly tests: number; readonly failBefore: number };
}

/** Reads `proof.json`; throws an error that names the field that is wrong. */
export function readProofPlan(path: string, where: string): ProofPlan {
  const fields = readFields(path, where);
  return {
    release: fields.text("release"),
    edits: fields.objects("edits").map((edit) => ({
      package: edit.text("package"),
      function: edit.text("function"),
      find: edit.text("find"),
      replace: edit.text("replace"),
    })),
    scenarios: fields.objects("scenarios").map((scenario) => readScenario(scenario, where)),
    ownTest: { tests: fields.number("tests"), failBefore: fields.number("failBefore") },
  };
}

function readScenario(fields: Fields, where: string): Scenario {
  const kind = fields.text("kind");
  const api = parseChoice(fields.text("api"), APIS, where);
  if (kind === "corpus" || kind === "chat") return { kind, api, case: fields.text("case") };
  if (kind === "refused-in-chat")
    return { kind, api, fault: parseChoice(fields.text("fault"), Object.keys(FAULTS) as FaultName[], where) };
  if (kind === "killed-batch" || kind === "killed-branch") return { kind, api };
  throw new Error(`${where}: expected a kind of scenario that scripts/upstream/proof-plan.ts knows; found "${kind}".`);
}

function parseChoice<T extends string>(value: string, allowed: readonly T[], where: string): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new Error(`${where}: expected one of ${allowed.join(", ")}; found "${value}".`);
  return found;
}
