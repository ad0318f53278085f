/** What the picture is made from: a run of `npm start`, without what is not shown. */
export interface Recording {
  release: string;
  case: string;
  api: string;
  healed: { kind: string; count: number }[];
  stock: Side;
  patched: Side;
}

/** What one OpenClaw gave back. */
export interface Side {
  /** The text of the answer to each message; null where there was none. */
  answers: (string | null)[];
  /** Status and error text of the last refused request. */
  refused: { status: number; error: string } | null;
  /** Whether all real content of the session was in the request that was answered. */
  isWhole: boolean;
}

interface Run {
  case: string;
  api: string;
  variant: string;
  turns: { answered: boolean; text: string }[];
  requests: { status: number; error?: string }[];
  healed: { kind: string; count: number }[];
  lost: string[] | null;
}

/**
 * Takes one case out of the report that `npm start -- --json` writes; throws when the report does not have it, unpatched
 * and patched.
 */
export function findRecording(report: unknown, release: string, id: string): Recording {
  const { releases = [] } = report as { releases?: { release: string; runs: Run[] }[] };
  const runs = releases.find((one) => one.release === release)?.runs.filter((run) => run.case === id) ?? [];
  const stock = runs.find(({ variant }) => variant === "stock");
  const patched = runs.find(({ variant }) => variant === "patched");
  if (!stock || !patched)
    throw new Error(
      `expected a report of npm start -- --json with ${id} on OpenClaw ${release}, unpatched and patched; found ${runs.length} such runs. Run: npm start -- --release ${release} --json report.json`,
    );
  const healed = patched.healed.map(({ kind, count }) => ({ kind, count }));
  return { release, case: id, api: stock.api, healed, stock: readSide(stock), patched: readSide(patched) };
}

function readSide({ turns, requests, lost }: Run): Side {
  const refused = requests.findLast(({ status }) => status >= 400);
  return {
    answers: turns.map(({ answered, text }) => (answered ? text : null)),
    refused: refused ? { status: refused.status, error: refused.error ?? "" } : null,
    isWhole: lost?.length === 0,
  };
}
