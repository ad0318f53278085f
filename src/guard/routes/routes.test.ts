import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { user } from "../../../harness/messages.ts";
import { newFolder } from "../../../harness/temporary.ts";
import { openJournal, journalFile } from "../../journal/index.ts";
import { guardSession } from "../gates.ts";
import type { GuardedSession } from "../openclaw/session.ts";
import { listFacts, learn, toRoute } from "./routes.ts";

const COMPLETIONS = { api: "openai-completions", provider: "proxy", id: "m", baseUrl: "http://127.0.0.1:1/v1" };
const picture = (name: string) => ({
  role: "user",
  content: [{ type: "image", data: `${name}${"A".repeat(203)}`, mimeType: "image/png" }],
});
const says = {
  role: "assistant",
  content: [{ type: "text", text: "seen" }],
  stopReason: "stop",
  api: "openai-completions",
  usage: { output: 1 },
};
const PICTURES = [picture("PIC0"), says, picture("PIC1"), says, picture("PIC2")];
const TOO_MANY = '400 {"error":{"message":"At most 2 image(s) may be provided in one prompt.","code":400}}';

let home: string;
let serial = 0;
beforeEach(() => {
  home = newFolder();
  vi.stubEnv("OPENCLAW_STATE_DIR", home);
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** A route that refuses with the text what `refuses` says; each request is one of its bodies. */
async function ask(
  model: object,
  messages: readonly unknown[],
  refuses: (body: string) => string | undefined,
  makeBody: (messages: readonly unknown[]) => object = (list) => ({ messages: list }),
): Promise<{ bodies: string[]; words: string }> {
  const bodies: string[] = [];
  const streamFn = (
    _model: unknown,
    context: { messages: unknown[] },
    options?: { onPayload?: (payload: unknown) => void },
  ) => {
    const payload = makeBody(context.messages);
    options?.onPayload?.(payload);
    bodies.push(JSON.stringify(payload));
    const errorMessage = refuses(bodies.at(-1)!);
    const message = errorMessage === undefined ? says : { ...says, content: [], stopReason: "error", errorMessage };
    const last =
      errorMessage === undefined
        ? { type: "done", reason: "stop", message }
        : { type: "error", reason: "error", error: message };
    return {
      async *[Symbol.asyncIterator]() {
        yield { type: "start", partial: says };
        yield last;
      },
      result: async () => message,
    };
  };
  const guarded = { agent: { state: { messages }, streamFn } } as unknown as GuardedSession;
  guardSession(guarded, { api: "openai-completions", sessionId: `routes-${serial++}`, point: "attempt-history-gate" });
  const stream = (await guarded.agent.streamFn!(model, { messages }, {})) as AsyncIterable<{
    type: string;
    delta?: string;
  }>;
  let words = "";
  for await (const event of stream) if (event.type === "text_delta") words += event.delta;
  return { bodies, words };
}
const picturesIn = (body: string): string[] => body.match(/PIC\d/g) ?? [];
const onlyTwo = (body: string): string | undefined => (picturesIn(body).length > 2 ? TOO_MANY : undefined);
const developer = (list: readonly unknown[]): object => ({
  messages: [{ role: "developer", content: "Be brief." }, ...list],
});
const noDeveloper = (body: string): string | undefined =>
  body.includes('"developer"') ? "400 invalid msg role: developer" : undefined;
const later = (ms: number): void => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
};

describe("what a route refuses", () => {
  it("costs one refusal: other sessions and the next process ask in the form it takes, and other routes in full", async () => {
    const first = await ask(COMPLETIONS, PICTURES, onlyTwo);
    expect(first.bodies.map(picturesIn)).toEqual([
      ["PIC0", "PIC1", "PIC2"],
      ["PIC1", "PIC2"],
    ]);
    expect(first.bodies[1]).toContain("this model takes 2 pictures in one request at most");
    expect(first.words).toContain("does not take all pictures");
    expect((await ask(COMPLETIONS, PICTURES, onlyTwo)).bodies.map(picturesIn)).toEqual([["PIC1", "PIC2"]]);
    vi.resetModules();
    const { listFacts: anew, toRoute: named } = await import("./routes.ts");
    expect(anew(named(COMPLETIONS))).toMatchObject([{ what: "most_pictures", most: 2 }]);
    const other = await ask({ ...COMPLETIONS, id: "other" }, PICTURES, () => undefined);
    expect(other.bodies.map(picturesIn)).toEqual([["PIC0", "PIC1", "PIC2"]]);
  });

  it("is learned for the role of the system prompt too, of which nothing is lost, and which needs no word to the user", async () => {
    const first = await ask(COMPLETIONS, [user("hi")], noDeveloper, developer);
    expect(first.bodies).toHaveLength(2);
    expect(first.bodies[1]).toContain('{"role":"system","content":"Be brief."}');
    expect(first.words).toBe("");
    expect((await ask(COMPLETIONS, [user("hi")], noDeveloper, developer)).bodies).toHaveLength(1);
  });

  it("is learned for a block of a new type that an adapter sends: its words are asked with in the same turn", async () => {
    const scan = { type: "hologram_scan", note: "the left door" };
    const scanned = (list: readonly unknown[]): object => ({ messages: [...list, { role: "user", content: [scan] }] });
    const taken = await ask(COMPLETIONS, [user("hi")], () => undefined, scanned);
    expect(taken.bodies[0]).toContain(JSON.stringify(scan));
    for (const words of [
      "Invalid value: 'hologram_scan'. Supported values are: 'text' and 'image_url'.",
      "(no body)",
    ]) {
      const model = { ...COMPLETIONS, id: words };
      const refuses = (body: string): string | undefined =>
        body.includes('"hologram_scan"') ? `400 ${words}` : undefined;
      const first = await ask(model, [user("hi")], refuses, scanned);
      expect(first.bodies).toHaveLength(2);
      expect(first.bodies[1]).toContain("the left door");
      // What no words explain may have been a passing failure.
      const isNamed = words.startsWith("Invalid");
      const next = await ask(model, [user("hi")], refuses, scanned);
      expect(next.bodies).toEqual(isNamed ? [first.bodies[1]] : first.bodies);
    }
  });

  it("is not learned from words that the request gives no reason for", async () => {
    await ask(COMPLETIONS, [picture("PIC0")], () => TOO_MANY);
    expect(listFacts(toRoute(COMPLETIONS)).filter(({ what }) => what === "most_pictures")).toEqual([]);
  });

  it("is asked for again after a week", async () => {
    learn(toRoute(COMPLETIONS), [{ what: "no_pictures" }]);
    later(7 * 24 * 3_600_000 + 1);
    expect((await ask(COMPLETIONS, PICTURES, () => undefined)).bodies.map(picturesIn)).toEqual([
      ["PIC0", "PIC1", "PIC2"],
    ]);
  });

  it("is asked for again when the model declares other abilities", async () => {
    learn(toRoute({ ...COMPLETIONS, input: ["text"] }), [{ what: "no_pictures" }]);
    const { bodies } = await ask({ ...COMPLETIONS, input: ["text", "image"] }, PICTURES, () => undefined);
    expect(bodies.map(picturesIn)).toEqual([["PIC0", "PIC1", "PIC2"]]);
  });

  it("is forgotten when a person deletes it, in a process that runs too", async () => {
    learn(toRoute(COMPLETIONS), [{ what: "no_pictures" }]);
    const journal = openJournal(journalFile(home));
    expect(journal.learned.forget("route")).toBe(1);
    journal.close();
    later(60_000);
    expect(listFacts(toRoute(COMPLETIONS))).toEqual([]);
  });

  it("is forgotten when the route takes it all the same", async () => {
    // Another process has learned it while this one was sending.
    const taken = (body: string): undefined => {
      if (picturesIn(body).length === 3) learn(toRoute(COMPLETIONS), [{ what: "no_pictures" }]);
    };
    await ask(COMPLETIONS, PICTURES, taken);
    expect(listFacts(toRoute(COMPLETIONS))).toEqual([]);
    const journal = openJournal(journalFile(home));
    expect(journal.learned.list("route")).toEqual([]);
    journal.close();
  });

  it("is known to the process although the journal was locked when it was learned, also after the journal is read again", async () => {
    learn(toRoute(COMPLETIONS), [{ what: "no_documents" }]);
    const other = new DatabaseSync(journalFile(home));
    other.exec("BEGIN IMMEDIATE");
    learn(toRoute(COMPLETIONS), [{ what: "no_pictures" }]);
    other.exec("ROLLBACK");
    other.close();
    later(120_000);
    expect(listFacts(toRoute(COMPLETIONS)).map(({ what }) => what)).toEqual(["no_documents", "no_pictures"]);
  });

  it("is known without a journal for as long as the process runs", async () => {
    vi.stubEnv("OPENCLAW_STATE_DIR", join(home, "no", "such", "folder\0"));
    await ask(COMPLETIONS, PICTURES, onlyTwo);
    later(60_000);
    expect((await ask(COMPLETIONS, PICTURES, onlyTwo)).bodies.map(picturesIn)).toEqual([["PIC1", "PIC2"]]);
  });
});

it("a route is named without what may be a secret in its address", () => {
  const { name } = toRoute({ ...COMPLETIONS, baseUrl: "https://me:secret@example.com/v1?key=secret#secret" });
  expect(name).toBe("openai-completions proxy https://example.com/v1 m");
});
