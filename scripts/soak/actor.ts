import { setTimeout as sleep } from "node:timers/promises";
import type { Action, Deed, MessagePlan, Moment } from "./actions.ts";
import type { Said } from "./said.ts";
import { isOnChannel, toSessionKey, type Side } from "./side.ts";
import { makeTag } from "./tags.ts";

const POLL_MS = 100;
const TURN_MS = 150_000;
const COMMAND_MS = 60_000;

/** Plays an action in a conversation of a side, to the end of its messages' runs as far as they come to one. */
export async function play(side: Side, conversation: string, action: Action): Promise<void> {
  const { message, beside } = action;
  const said: Said[] = [];
  const say = async (planned: MessagePlan): Promise<void> => {
    // The letterbox has words only, and asks for no way of queueing.
    const { mode: _mode, picture: _picture, ...words } = planned;
    const plan = isOnChannel(conversation) ? words : planned;
    const plain = beside === undefined && plan.rounds.every(({ fault }) => fault === undefined);
    const one: Said = { conversation, action: action.n, message: plan, stopped: false, at: side.now(), plain };
    said.push(one);
    side.said.push(one);
    side.model.expect(conversation, plan);
    await send(side, one);
  };
  const deed = async (what: Deed): Promise<void> => {
    if (what.do === "message") {
      if (what.message.mode === "interrupt" && !isOnChannel(conversation)) for (const one of said) one.stopped = true;
      return say(what.message);
    }
    if (what.do === "stop") for (const one of said) one.stopped = true;
    await doDeed(side, conversation, what);
  };
  await side.whenUp();
  if (beside === undefined) return say(message);
  if (beside.at === undefined) {
    await deed(beside.deed);
    return say(message);
  }
  const first = say(message);
  await reached(side, said[0] as Said, beside.at);
  await Promise.all([first, deed(beside.deed)]);
}

/** Sends a message and waits until its run has an end, the gateway is killed, or two minutes and a half are over. */
async function send(side: Side, said: Said): Promise<void> {
  const { conversation, message } = said;
  const { kills } = side;
  const text = `${makeTag(conversation, message.name)} do it`;
  const more = {
    ...(message.mode !== undefined && { queueMode: message.mode }),
    ...(message.picture === true && { attachments: [attach(side, conversation, message.name)] }),
  };
  if (!side.model.isPlain(conversation)) said.plain = false;
  const began = performance.now();
  try {
    said.run = await side.post(conversation, text, more);
  } catch (error) {
    said.failed = String(error).slice(0, 200);
    return;
  }
  while (side.witness.closings(said.run).length === 0 && side.kills === kills) {
    if (performance.now() - began > TURN_MS) {
      said.failed = "no end of its run";
      return;
    }
    await sleep(POLL_MS);
  }
  said.ms = Math.round(performance.now() - began);
  if (side.kills !== kills) said.plain = false;
  const first = side.witness.firstWord(said.run);
  if (first !== undefined) said.firstMs = Math.round(first - began);
}

function attach(side: Side, conversation: string, name: string): object {
  const content = side.model.paint(conversation, name);
  return { type: "image", mimeType: "image/png", fileName: `${name}.png`, content };
}

async function reached(side: Side, said: Said, { requests, ms }: Moment): Promise<void> {
  const { conversation, message } = said;
  const had = (): number =>
    side.model.requests.filter((one) => one.conversation === conversation && one.messages.has(message.name)).length;
  while (said.ms === undefined && said.failed === undefined && had() < requests) await sleep(POLL_MS / 2);
  await sleep(ms);
}

async function doDeed(side: Side, conversation: string, deed: Exclude<Deed, { do: "message" }>): Promise<void> {
  const sessionKey = toSessionKey(conversation);
  const { gateway } = side;
  try {
    if (deed.do === "kill") await side.kill();
    else if (deed.do === "restart") await side.kill("SIGTERM");
    else if (deed.do === "full disk") await side.fillDisk(deed.ms);
    else if (deed.do === "rewind") await side.rewind(conversation);
    else if (deed.do === "proxy") side.model.block(conversation, deed.requests);
    else if (deed.do === "switch")
      await gateway.request("sessions.patch", {
        key: sessionKey,
        model: deed.to === null ? null : side.modelName(deed.to),
      });
    else if (deed.do === "compact" && deed.by === "command")
      await gateway.send(sessionKey, "/compact", { timeoutMs: COMMAND_MS });
    // 2026.2.3 never tells its clients that this command is done.
    else if (deed.do === "stop" && deed.by === "command") await gateway.post(sessionKey, "/stop");
    else if (deed.do === "stop") await gateway.request("chat.abort", { sessionKey });
    else await gateway.request("sessions.compact", { key: sessionKey });
  } catch (error) {
    // Nothing to stop, nothing to compact, or killed meanwhile: what counts is what becomes of the messages.
    if (!(error instanceof Error)) throw error;
  }
}
