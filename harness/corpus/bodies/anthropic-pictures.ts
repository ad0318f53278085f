/** What stands as a picture in bodies for Claude and is none. */
import { anthropicBody, assistant, CLAUDE, picture, text, toolResult, toolUse, user, type BodyCase } from "./case.ts";

const PAGE = "<!doctype html><title>Please log in</title>";
const pageAsPicture = picture(Buffer.from(PAGE).toString("base64"));
const WORDS = `[This was sent as a picture, and is a text:]\n${PAGE}`;
const common = { api: "anthropic-messages", model: CLAUDE, report: "anthropics/claude-code#37111" } as const;

export const anthropicPictures: BodyCase[] = [
  {
    ...common,
    id: "anthropic-page-as-picture",
    title: "An error page that was stored under the name of a picture, sent by the user",
    also: ["anthropics/claude-code#15004", "anthropics/claude-code#53228"],
    reported: "2026-03-21",
    refusal: "Could not process image",
    body: anthropicBody(user([text("What is this?"), pageAsPicture]), assistant(text("A page.")), user("Go on.")),
    sent: [user([text("What is this?"), text(WORDS)]), assistant(text("A page.")), user("Go on.")],
    mustReach: ["Please log in"],
  },
  {
    ...common,
    id: "anthropic-page-as-picture-in-a-result",
    title: "The same in the result of a tool",
    reported: "2026-03-21",
    refusal: "Could not process image",
    body: anthropicBody(
      user("Read it."),
      assistant(toolUse("toolu_1")),
      user([{ ...toolResult("toolu_1", ""), content: [text("fake.png"), pageAsPicture] }]),
    ),
    mustReach: ["fake.png", "Please log in"],
  },
];
