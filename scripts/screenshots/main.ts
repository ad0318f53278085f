/**
 * Writes the pictures of docs/images/: the page of `sessions doctor --html` for 8 and for 310 stored sessions, wide, on
 * a phone and dark, by headless Chromium (Debian: `apt-get install chromium pngquant`). Also measures the page of 5,000
 * sessions. Usage: npm run generate screenshots [-- --measure]
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openScratch } from "../../harness/scratch.ts";
import { pageOfState } from "./state.ts";

const IMAGES = fileURLToPath(new URL("../../docs/images", import.meta.url));
const CHROMIUM = process.env["CHROMIUM"] ?? "chromium";
const BASE = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb"];

/** A picture: the page of how many sessions, in what window, at which session. */
interface Picture {
  readonly name: string;
  readonly sessions: number;
  readonly width: number;
  readonly height: number;
  readonly isDark?: boolean;
  readonly at?: string;
}

const PICTURES: readonly Picture[] = [
  { name: "doctor-8-wide", sessions: 8, width: 1280, height: 960 },
  { name: "doctor-8-phone", sessions: 8, width: 390, height: 1240 },
  { name: "doctor-8-dark", sessions: 8, width: 1280, height: 960, isDark: true },
  { name: "doctor-310-wide", sessions: 310, width: 1280, height: 1300 },
  { name: "doctor-310-phone", sessions: 310, width: 390, height: 1500 },
  { name: "doctor-310-dark", sessions: 310, width: 390, height: 1500, isDark: true },
  { name: "doctor-session-wide", sessions: 8, width: 1280, height: 900, at: "#s1" },
  { name: "doctor-session-phone", sessions: 8, width: 390, height: 1300, at: "#s1" },
  { name: "doctor-archives-phone", sessions: 310, width: 390, height: 700, at: "#archives" },
];

openScratch();
const folder = mkdtempSync(join(tmpdir(), "page-"));

async function written(sessions: number): Promise<string> {
  const file = join(folder, `${sessions}.html`);
  writeFileSync(file, await pageOfState(mkdtempSync(join(tmpdir(), "state-")), sessions));
  return file;
}

function chromium(...options: string[]): string {
  const home = [`--user-data-dir=${join(folder, "chromium")}`];
  return execFileSync(CHROMIUM, [...BASE, ...home, ...options], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/**
 * Shoots the page in a frame, because a window of Chromium is at least 500 pixels wide. The frame inherits the colour
 * scheme of the browser, not of its own page.
 */
function shoot(page: string, { name, width, height, isDark = false, at = "" }: Picture): void {
  const frame = join(folder, "frame.html");
  writeFileSync(
    frame,
    `<!DOCTYPE html><style>body{margin:0}iframe{display:block;border:0;width:${width}px;height:${height}px}</style><iframe src="${page}${at}"></iframe>`,
  );
  const picture = join(IMAGES, `${name}.png`);
  chromium(
    `--blink-settings=preferredColorScheme=${isDark ? 0 : 1}`,
    `--window-size=${width},${height}`,
    "--virtual-time-budget=2000",
    `--screenshot=${picture}`,
    `file://${frame}`,
  );
  execFileSync("pngquant", ["--force", "--strip", "--speed", "1", "--quality", "60-90", "--output", picture, picture]);
}

if (process.argv.includes("--measure")) {
  for (const sessions of [8, 310, 1000, 5000]) {
    const began = performance.now();
    const page = await written(sessions);
    const made = performance.now();
    chromium(`--screenshot=${join(folder, "measured.png")}`, `file://${page}`);
    console.log(
      `${sessions} sessions: ${(statSync(page).size / 1e6).toFixed(2)} MB, made in ${Math.round(made - began)} ms (with the store), loaded by Chromium in ${Math.round(performance.now() - made)} ms (with its start)`,
    );
  }
} else {
  mkdirSync(IMAGES, { recursive: true });
  const pages = new Map<number, string>();
  for (const picture of PICTURES) {
    if (!pages.has(picture.sessions)) pages.set(picture.sessions, await written(picture.sessions));
    shoot(pages.get(picture.sessions)!, picture);
    console.log(picture.name);
  }
}
