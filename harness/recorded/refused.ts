import type { ModelApi } from "../corpus/case.ts";

const SIZE = "the history is too long for the model";
const KEY = "the key, the model's name or a parameter is refused, not the history";
const VIDEO = "this model takes no video; others of this API do";
const S3 = "this model reads nothing from S3; others of this API do";
const ADDRESS = "what the address leads to is not in the request";
const FILE = "this model takes only PDF; the type of the file is not a rule of the API";
const AUDIO = "this model takes no audio; others of this API do";

/** Refused requests that `check` cannot know: why, by their places in the file of their API. */
export const ONLY_FROM_THE_REFUSAL: Readonly<Record<ModelApi, Readonly<Record<number, string>>>> = {
  "anthropic-messages": { 72: SIZE, 160: KEY },
  "bedrock-converse-stream": {
    32: SIZE,
    52: KEY,
    76: KEY,
    127: S3,
    128: S3,
    130: VIDEO,
    131: VIDEO,
    139: S3,
    141: S3,
  },
  "google-generative-ai": { 48: KEY, 170: ADDRESS, 210: ADDRESS, 252: ADDRESS },
  "openai-completions": {
    30: ADDRESS,
    267: SIZE,
    268: SIZE,
    269: SIZE,
    270: SIZE,
    347: "the model's answer did not fit its tool, not the history",
    373: AUDIO,
    377: AUDIO,
    407: "this model takes no role of instructions; others of this API do",
    408: "this model takes no role of instructions; others of this API do",
    410: KEY,
  },
  "openai-responses": { 90: KEY, 110: SIZE, 134: KEY, 201: FILE, 203: FILE, 208: FILE, 210: FILE, 237: KEY },
};
