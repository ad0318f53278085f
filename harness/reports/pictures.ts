import { anthropicError, wrapError, geminiError, openAiError } from "../played/envelopes.ts";
import { makeMark, makeTurns, type PlayedCase } from "../played/case.ts";
import { JPEG, makePng, SVG, readWidth } from "../played/pictures.ts";
import { findIn, hasPicture, isPicture, objectsIn } from "../played/read-body.ts";
import { answer, call, makeCase, image, madeBy, result, user } from "../played/rows.ts";
import type { SessionInput, ModelApi } from "../openclaw/types.ts";
import type { StoredMessage } from "../openclaw/transcript.ts";
import type { Front, FrontAnswer } from "../providers/index.ts";

type Route = Omit<SessionInput, "transcript" | "api"> & { api?: ModelApi };

/** A conversation with a picture, and a route to a model that takes none, in its own words. The last turn is elsewhere. */
function withoutVision(tag: string, report: string, says: FrontAnswer, route: Route): PlayedCase {
  const { api = "openai-completions", ...rest } = route;
  const origin = madeBy(api, { model: "gpt-5-mini" });
  const mark = (name: string): string => makeMark(tag, name);
  const rows = [
    user(`Where is the ferry? ${mark("ferry")}`),
    answer(origin, `At pier nine. ${mark("pier")}`),
    user(`Look at the timetable. ${mark("timetable")}`),
    answer(origin, [call(`call_${tag}view`, "view_image", { path: "/tmp/timetable.jpg" })]),
    result(`call_${tag}view`, "view_image", [mark("viewed"), image(JPEG, "image/jpeg")]),
    answer(origin, `It leaves at 14:10. ${mark("leaves")}`),
  ];
  const front: Front = ({ body }) => (hasPicture(body) ? says : undefined);
  const told = { id: `no-vision-${tag}`, title: "a picture in the history, a route without vision", report };
  return makeCase(told, rows, { api, ...rest }, makeTurns(tag, [{ front }, { front }, {}, { provider: "elsewhere" }]));
}

const OLLAMA = openAiError("this model does not support image input (ref: b1feda6a-4c1d)");
const VLLM = (message: string): FrontAnswer => ({
  status: 400,
  body: { object: "error", message, type: "BadRequestError", param: null, code: 400 },
});

const WITHOUT_VISION: readonly PlayedCase[] = [
  withoutVision("ollama", "openclaw#132050", OLLAMA, { model: "glm-5.3", provider: "ollama-cloud" }),
  withoutVision("declared", "openclaw#132050", OLLAMA, { model: "glm-5.3", provider: "ollama-cloud", input: ["text"] }),
  withoutVision(
    "openrouter",
    "openclaw#99078",
    {
      status: 404,
      body: { error: { message: "No endpoints found that support image input", code: 404 }, user_id: "u" },
    },
    { model: "z-ai/glm-5.2", provider: "openrouter" },
  ),
  withoutVision(
    "deepseek",
    "openclaw#9815",
    openAiError(
      "Failed to deserialize the JSON body into the target type: messages[4]: unknown variant `image_url`, expected `text` at line 1 column 24254",
      { code: "invalid_request_error" },
    ),
    { model: "deepseek-chat", provider: "deepseek" },
  ),
  withoutVision(
    "llamacpp",
    "openclaw#65165",
    wrapError(
      "openai-completions",
      500,
      "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
    ),
    { model: "qwen3.8-27b", provider: "llamacpp" },
  ),
  withoutVision(
    "copilot",
    "openclaw#4607",
    openAiError('model "claude-opus-4.5" not supported for vision', { code: "model_not_supported_for_vision" }),
    { model: "claude-opus-4.5", provider: "copilot-proxy" },
  ),
  withoutVision("vllm", "openclaw#132050", VLLM("At most 0 image(s) may be provided in one prompt."), {
    model: "Qwen/Qwen3.8",
    provider: "vllm",
  }),
  withoutVision("vllm2", "openclaw#132050", VLLM("/models/glm is not a multimodal model"), {
    model: "Qwen/Qwen3.8",
    provider: "vllm",
  }),
  withoutVision(
    "lmstudio",
    "openclaw#132050",
    { status: 400, body: { error: "Model does not support images. Please use a model that does." } },
    { model: "qwen3", provider: "lmstudio" },
  ),
  withoutVision(
    "anthropic",
    "ollama#17301",
    anthropicError("this model does not support image input (ref: b8bd630e)"),
    {
      api: "anthropic-messages",
      model: "glm-5.2",
      provider: "ollama-anthropic",
    },
  ),
];

/** A picture of a media type that the API does not take, from a person and from a tool. */
function foreignType(name: string, mimeType: string): PlayedCase {
  const [api, tag] = ["anthropic-messages", name] as const;
  const origin = madeBy(api);
  const picture = image(name === "svg" ? SVG : JPEG, mimeType);
  const rows = [
    user([`My photo. ${makeMark(tag, "photo")}`, picture]),
    answer(origin, `Nice. ${makeMark(tag, "nice")}`),
    user(`Next one, ${makeMark(tag, "next")}`),
    answer(origin, [call("toolu_01HE", "mcp_render", {})]),
    result("toolu_01HE", "mcp_render", [picture]),
    answer(origin, makeMark(tag, "rendered")),
  ];
  const told = {
    id: `picture-${name}`,
    title: "a picture of a type that the API does not take",
    report: "openclaw#102323",
  };
  return makeCase(told, rows, { api }, makeTurns(tag, [{}, {}]));
}

const saysPng = (value: Record<string, unknown>): boolean => {
  const text = (name: string): string => (typeof value[name] === "string" ? value[name] : "");
  const isUrl = [text("url"), text("image_url")].some((url) => url.startsWith("data:image/png;base64,/9j/"));
  const type = text("media_type") || text("mimeType");
  return isUrl || (type === "image/png" && text("data").startsWith("/9j/"));
};

/** A JPEG that is declared to be a PNG. */
function wrongType(api: ModelApi, tag: string, says: (path: string) => FrontAnswer): PlayedCase {
  const origin = madeBy(api);
  const picture = image(JPEG, "image/png");
  const rows = [
    user([`My shot. ${makeMark(tag, "shot")}`, picture]),
    answer(origin, makeMark(tag, "nice")),
    user(makeMark(tag, "next")),
    answer(origin, [call("toolu_01TM", "browser", {})]),
    result("toolu_01TM", "browser", [makeMark(tag, "page"), picture]),
    answer(origin, makeMark(tag, "seen")),
  ];
  const front: Front = ({ body }) => {
    const found = findIn(body, saysPng);
    return found && says(found.path);
  };
  const told = {
    id: `picture-declared-wrong-${tag}`,
    title: "the declared media type differs from the bytes",
    report: "openclaw#128300",
  };
  return makeCase(told, rows, { api }, makeTurns(tag, [{ front }, { front }]));
}

const NOT_VALID = openAiError(
  "The image data you provided does not represent a valid image. Please check your input and try again.",
  {
    code: "invalid_image_format",
  },
);

// The reported limit is 2000; OpenClaw makes pictures smaller by itself, 2026.2 to that and 2026.9 to 1200.
const [MOST, WIDEST] = [20, 1000];
const notTooWide: Front = ({ body }) => {
  const found = objectsIn(body).filter(({ value }) => value["type"] === "base64");
  const wide = found.length > MOST ? found.find(({ value }) => readWidth(String(value["data"])) > WIDEST) : undefined;
  return (
    wide &&
    anthropicError(
      `messages.${wide.path}.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: ${WIDEST} pixels`,
    )
  );
};

const notSoMany: Front = ({ body }) => {
  const count = objectsIn(body).filter(({ value }) => isPicture(value)).length;
  return count > 100 ? anthropicError(`too many images and documents: ${count} + 0 > 100`) : undefined;
};

/**
 * Screenshots of a browser, each of a turn of its own, or all of the last turn: OpenClaw 2026.9 sends those of the last
 * turns alone.
 */
function screenshots(
  told: Pick<PlayedCase, "id" | "title">,
  pictures: readonly string[],
  front: Front,
  isOneTurn = false,
): PlayedCase {
  const [api, tag] = ["anthropic-messages", told.id.replaceAll("-", "")] as const;
  const origin = madeBy(api);
  const rows = pictures.flatMap((picture, at): StoredMessage[] => {
    const n = String(at).padStart(3, "0");
    const [isFirst, isLast] = [!isOneTurn || at === 0, !isOneTurn || at === pictures.length - 1];
    return [
      ...(isFirst ? [user(`Shot ${n}, ${makeMark(tag, `asked${n}`)}`)] : []),
      answer(origin, [call(`toolu_01MI${n}`, "browser", { n })]),
      result(`toolu_01MI${n}`, "browser", [makeMark(tag, `page${n}`), image(picture, "image/png")]),
      ...(isLast ? [answer(origin, makeMark(tag, `seen${n}`))] : []),
    ];
  });
  return makeCase(
    { ...told, report: "claude-code#34025" },
    rows,
    { api },
    // Behind three answers OpenClaw 2026.9 sends no old picture any more.
    makeTurns(tag, [{ front }, { provider: "elsewhere" }, { front }, {}]),
  );
}

const SHOTS = Array.from({ length: 24 }, (_, at) => makePng(at % 3 === 0 ? 2560 : 640, 60, `shot ${at}`));
const SMALL_SHOTS = Array.from({ length: 101 }, (_, at) => makePng(64, 48, `shot ${at}`));

const MANY: readonly PlayedCase[] = [
  screenshots({ id: "many-screenshots", title: "more than 20 pictures, some too wide" }, SHOTS, notTooWide),
  screenshots(
    { id: "wide-in-a-turn", title: "more than 20 pictures in a turn, some too wide" },
    SHOTS,
    notTooWide,
    true,
  ),
  screenshots({ id: "many-pictures", title: "101 pictures where 100 may be" }, SMALL_SHOTS, notSoMany),
  screenshots({ id: "many-in-a-turn", title: "101 pictures in a turn where 100 may be" }, SMALL_SHOTS, notSoMany, true),
];

/** Pictures that a provider or a route does not take. */
export const PICTURE_REPORTS: readonly PlayedCase[] = [
  ...WITHOUT_VISION,
  ...["heic", "tiff", "bmp"].map((name) => foreignType(name, `image/${name}`)),
  foreignType("svg", "image/svg+xml"),
  wrongType("anthropic-messages", "a", (path) =>
    anthropicError(
      `messages.${path}.base64: The image was specified using the image/png media type, but the image appears to be a image/jpeg image`,
    ),
  ),
  wrongType("google-generative-ai", "g", () =>
    geminiError(
      "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
    ),
  ),
  wrongType("openai-responses", "r", () => NOT_VALID),
  wrongType("openai-completions", "o", () => NOT_VALID),
  ...MANY,
];
