import { makeMark, makeTurns, type PlayedTurn } from "../../harness/played/case.ts";
import { answer, call, makeCase, madeBy, result, user } from "../../harness/played/rows.ts";
import type { ModelApi } from "../../harness/openclaw/index.ts";
import { tracedCall } from "../../harness/openclaw/traced-calls.ts";
import { FAULT_APIS, FAULTS, type FaultName, type Step } from "../../harness/providers/index.ts";
import { filterScenarios, MEASURED, type Scenario } from "../recovery/scenarios.ts";
import { ALL_APIS } from "../start/apis.ts";
import type { GateCase } from "./case.ts";

/** The measured live faults, and each fault of each API that goes away by itself. */
export function faultCases(): GateCase[] {
  const passing = ALL_APIS.flatMap((api) => faultsOn(api).map((fault) => [api, fault] as const));
  // Since 2026.9 OpenClaw asks no provider for a minute after a refused key: the cases behind would show nothing.
  passing.sort(([, one], [, other]) => Number(REFUSES_KEY.has(one)) - Number(REFUSES_KEY.has(other)));
  return [...MEASURED, ...ALL_APIS.flatMap(filterScenarios)]
    .map(lastingCase)
    .concat(passing.map(([api, fault]) => passingCase(api, fault)));
}

const REFUSES_KEY = new Set<FaultName>(["http-401"]);

// A turn that hangs ends when it is given up, in both OpenClaws alike.
const HANGING = new Set<FaultName>(["hang", "hang-in-tool"]);

const faultsOn = (api: ModelApi): FaultName[] =>
  (Object.keys(FAULTS) as FaultName[]).filter(
    (fault) => !HANGING.has(fault) && (FAULT_APIS[fault]?.includes(api) ?? true),
  );

function lastingCase({ id, title, api, steps, lasting, kill }: Scenario): GateCase {
  const trace = `trace-${api}-${id}.txt`;
  const first: Partial<PlayedTurn> = { steps: steps(trace) };
  if (kill) first.killAt = trace;
  // What the provider has against the message of the first turn, it has for good.
  const message = `Please say hello, ${makeMark("faults", "said1")}`;
  const always: Partial<PlayedTurn> = lasting ? { prepare: (provider) => lasting(provider, message) } : {};
  return faultCase(`fault-${id}`, title, api, [{ ...first, ...always }, always, always]);
}

function passingCase(api: ModelApi, fault: FaultName): GateCase {
  const steps: Step[] = [{ kind: "fault", fault, calls: [tracedCall(`trace-${api}-passing-${fault}.txt`)] }];
  return faultCase(`passing-${fault}`, `${fault}, once`, api, [{ steps }, {}]);
}

/** A short valid history with a call in it, and what goes wrong when the next message comes. */
function faultCase(id: string, title: string, api: ModelApi, turns: readonly Partial<PlayedTurn>[]): GateCase {
  const [tag, origin] = ["faults", madeBy(api)];
  const callId = api.startsWith("openai") ? "call_AAAAAAAAAAAAAAAAAAAA" : "toolu_01AAAAAAAAAAAAAAAAAAAA";
  const rows = [
    user(`Read a.txt, ${makeMark(tag, "q1")}`),
    answer(origin, [call(callId, "read", { path: `a.txt#${makeMark(tag, "p1")}` })]),
    result(callId, "read", `A green parrot, ${makeMark(tag, "r1")}`),
    answer(origin, `It is read, ${makeMark(tag, "a1")}`),
  ];
  const told = { id, title, report: "measured" };
  return { ...makeCase(told, rows, { api, tools: ["read", "exec"] }, makeTurns(tag, turns)), group: "faults" };
}
