/** Class K: image blocks that no adapter can send. */
import { assistant, call, image, message, text, toolu, user, result, type CaseSpec } from "../builder.ts";
import { calendar, files, search, shell, weather } from "../chats.ts";

/** A valid PNG of one pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const images: CaseSpec[] = [
  {
    id: "k-image-without-data",
    title: "User images without data, with null and with empty data",
    report: "measured",
    reported: "2026-11-21",
    error: "Cannot read properties of undefined (reading 'trim')",
    rows: [
      ...weather("k1"),
      user([text("What is this? {{MARK-k1 photo of a moth}}"), { type: "image", mimeType: "image/png" }]),
      assistant(["A moth. {{MARK-k1 a hawk moth}}"]),
      user([{ type: "image", data: null, mimeType: "image/png" }, image(""), text("And these? {{MARK-k1 two more}}")]),
      assistant(["I cannot see them. {{MARK-k1 cannot see}}"]),
    ],
  },
  {
    id: "k-image-without-type",
    title: "User images without a media type, and with one that is none",
    report: "measured",
    reported: "2026-11-21",
    error: "messages.0.content.1.image.source.base64.media_type: Field required",
    rows: [
      user([text("Read the receipt. {{MARK-k2 receipt}}"), { type: "image", data: PIXEL }]),
      assistant(["14.20. {{MARK-k2 fourteen twenty}}"]),
      user([text("And this one? {{MARK-k2 second receipt}}"), image(PIXEL, "application/pdf"), image(PIXEL, "")]),
      assistant(["9.80. {{MARK-k2 nine eighty}}"]),
      ...calendar("k2"),
    ],
  },
  {
    id: "k-image-data-is-broken",
    title: "Image data that is no base64, a data URL, and cut short",
    report: "measured",
    reported: "2026-11-21",
    error: "messages.0.content.0.image.source.base64: invalid base64 data",
    rows: [
      user([image("not base64 at all!"), text("Look. {{MARK-k3 look}}")]),
      assistant(["At what? {{MARK-k3 at what}}"]),
      user([
        image(`data:image/png;base64,${PIXEL}`),
        image(PIXEL.slice(0, 41)),
        text("At these. {{MARK-k3 at these}}"),
      ]),
      assistant(["Broken. {{MARK-k3 broken images}}"]),
      ...files("k3"),
    ],
  },
  {
    id: "k-image-in-assistant",
    title: "Image blocks in assistant messages, one of them the only block",
    report: "measured",
    reported: "2026-11-21",
    error: "Cannot read properties of undefined (reading 'trim')",
    rows: [
      user("Draw a boat. {{MARK-k4 draw a boat}}"),
      assistant([text("Here. {{MARK-k4 here it is}}"), image(PIXEL)]),
      user("Bigger. {{MARK-k4 bigger}}"),
      assistant([image(PIXEL)]),
      user("Nice. {{MARK-k4 nice}}"),
      ...shell("k4"),
    ],
  },
  {
    id: "k-image-in-result",
    title: "Tool results with images: valid, without data, without type, and nothing but a broken one",
    report: "measured",
    reported: "2026-11-21",
    error: "Cannot read properties of undefined (reading 'trim')",
    rows: [
      ...search("k5"),
      user("Take screenshots. {{MARK-k5 screenshots}}"),
      assistant([0, 1, 2].map((n) => call(toolu(`k5/${n}`), "browser", { action: "screenshot", tab: n }))),
      message({
        role: "toolResult",
        toolCallId: toolu("k5/0"),
        toolName: "browser",
        content: [text("{{MARK-k5 tab zero}}"), image(PIXEL)],
        isError: false,
      }),
      message({
        role: "toolResult",
        toolCallId: toolu("k5/1"),
        toolName: "browser",
        content: [
          { type: "image", mimeType: "image/png" },
          text("{{MARK-k5 tab one}}"),
          { type: "image", data: PIXEL },
        ],
        isError: false,
      }),
      message({
        role: "toolResult",
        toolCallId: toolu("k5/2"),
        toolName: "browser",
        content: [{ type: "image" }],
        isError: false,
      }),
      assistant(["Three tabs. {{MARK-k5 three tabs}}"]),
    ],
  },
  {
    id: "k-reference-to-stripped-image",
    title: "The text still names the file of an image that was taken out of the history",
    report: "openclaw#19997",
    also: ["openclaw#19622"],
    reported: "2026-02-18",
    error: "messages.189.content.1.image.source.base64: image exceeds 5 MB maximum: 5641712 bytes > 5242880 bytes",
    rows: [
      user(
        "[media attached: /home/user/.openclaw/media/inbound/garden.jpg (image/jpeg)] Which plant? {{MARK-k6 which plant}}",
      ),
      assistant(["A fern. {{MARK-k6 a fern}}"]),
      user([
        text("[media attached: /home/user/.openclaw/media/inbound/gone.png (image/png)]"),
        text("And here? {{MARK-k6 and here}}"),
      ]),
      assistant(["A hosta. {{MARK-k6 a hosta}}"]),
      user("Merke: Schattenplatz. {{MARK-k6 Schattenplatz}}"),
      assistant([call(toolu("k6"), "write", { path: "garden.md" })]),
      result(toolu("k6"), "write", "{{MARK-k6 garden.md saved}}"),
    ],
  },
];
