import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import {
  createSessionIntegrity,
  type GuardOptions,
  MemorySession,
  openJournal,
  type Journal,
  type MessageFormat,
  type WireGate,
} from "../../src/integrity/index.ts";

let file: string;
let journal: Journal;
beforeEach(() => {
  file = join(newFolder(), "journal.sqlite");
  journal = openJournal(file, { busyTimeoutMs: 20 });
});
afterEach(() => {
  journal.close();
});

const refusal = (message: string): Error =>
  Object.assign(new Error(`400 {"error":{"message":"${message}"}}`), { status: 400 });
const said = (role: string, ...content: object[]) => ({ role, content });
const text = (words: string) => ({ type: "text", text: words });
const PICTURES: Record<MessageFormat, (name: string) => object> = {
  openclaw: (name) => ({ type: "image", data: `${name}${"A".repeat(204)}`, mimeType: "image/png" }),
  anthropic: (name) => ({
    type: "image",
    source: { type: "base64", media_type: "image/png", data: `${name}${"A".repeat(204)}` },
  }),
};

/** A new process with a new session of the same program: what it sends, and what the user is told. */
async function ask(
  format: MessageFormat,
  refuse: (body: string) => Error | undefined,
  makeBody: (messages: readonly unknown[]) => object,
  options: GuardOptions,
): Promise<{ bodies: string[]; outcome: object; session: MemorySession }> {
  journal.close();
  journal = openJournal(file, { busyTimeoutMs: 20 });
  const picture = PICTURES[format];
  const messages = [
    said("user", text("look"), picture("PIC0"), picture("PIC1")),
    said("assistant", text("seen")),
    said("user", text("and this"), picture("PIC2")),
  ];
  const session = new MemorySession({ id: "s", format, messages: messages as never[] });
  const bodies: string[] = [];
  const outcome = await createSessionIntegrity({ journal }).guardCall(
    session,
    async (sent: never[], gate: WireGate) => {
      const body = JSON.stringify(gate.heal(makeBody(sent)));
      bodies.push(body);
      const error = refuse(body);
      if (error) throw error;
      return "answered";
    },
    options,
  );
  return { bodies, outcome, session };
}
const picturesIn = (body: string): string[] => body.match(/PIC\d/g) ?? [];

describe.each(["openclaw", "anthropic"] as const)("a limit of a route, in the format of %s", (format) => {
  it("costs one refusal for all processes and sessions: later ones leave out the oldest pictures at once", async () => {
    const onlyTwo = (body: string) =>
      picturesIn(body).length > 2 ? refusal("At most 2 image(s) may be provided in one prompt.") : undefined;
    const turn = (model: string) =>
      ask(format, onlyTwo, (messages) => ({ messages }), { api: "anthropic-messages", model });
    const first = await turn("claude-a");
    expect(first.bodies.map(picturesIn)).toEqual([
      ["PIC0", "PIC1", "PIC2"],
      ["PIC1", "PIC2"],
    ]);
    expect(first.outcome).toMatchObject({ outcome: "answered", notes: [expect.stringContaining("number or size")] });
    expect(picturesIn(JSON.stringify(first.session.messages))).toEqual(["PIC0", "PIC1", "PIC2"]);
    expect((await turn("claude-a")).bodies.map(picturesIn)).toEqual([["PIC1", "PIC2"]]);
    expect((await turn("claude-b")).bodies.map(picturesIn)[0]).toEqual(["PIC0", "PIC1", "PIC2"]);
  });
});

it("a role that a route does not take is changed in the body, at once from the second call on", async () => {
  const refuse = (body: string) => (body.includes('"developer"') ? refusal("invalid msg role: developer") : undefined);
  const makeBody = () => ({ messages: [said("developer", text("Be brief.")), said("user", text("hi"))] });
  const turn = () => ask("openclaw", refuse, makeBody, { api: "openai-completions", model: "m" });
  const first = await turn();
  expect(first.bodies).toHaveLength(2);
  expect(first.bodies[1]).toContain('"role":"system"');
  expect(first.bodies[1]).toContain("Be brief.");
  expect(first.outcome).toEqual({ outcome: "answered", response: "answered" });
  expect((await turn()).bodies).toHaveLength(1);
});

it("a program that only reports the error stores no more than it has to: the newest pictures stay in the history", async () => {
  const picture = PICTURES.openclaw;
  const messages = ["PIC0", "PIC1", "PIC2"].flatMap((name) => [
    said("user", text("look"), picture(name)),
    said("assistant", text("seen")),
  ]);
  const session = new MemorySession({ id: "s", format: "openclaw", messages: messages as never[] });
  const error = refusal("At most 2 image(s) may be provided in one prompt.");
  expect(await createSessionIntegrity({ journal }).handleError(session, error)).toMatchObject({ action: "repaired" });
  expect(picturesIn(JSON.stringify(session.messages))).toEqual(["PIC1", "PIC2"]);
});
