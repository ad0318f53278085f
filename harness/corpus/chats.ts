/** Healthy stretches of conversation, in which the broken ones are set. Each `tag` makes ids and markers its own. */
import { assistant, call, failed, lines, result, tool, toolu, user, type Row } from "./builder.ts";

export const shell = (tag: string): Row[] => [
  user(`The box feels slow since this morning, can you look? Ticket {{MARK-${tag} order number 48213}}`),
  ...tool(
    toolu(`${tag}/df`),
    "exec",
    { command: "df -h && uptime" },
    `Filesystem      Size  Used Avail Use% Mounted on\n/dev/nvme0n1p2  468G  441G  3.2G 100% /\n 08:14:07 up 41 days, load average: 7.91\n{{disk report ${tag} nvme0n1p2}}`,
  ),
  assistant([
    `The root file system is full {{(${tag}: 3.2 GB left)}}. The load comes from the log rotation that cannot finish.`,
  ]),
];

export const calendar = (tag: string): Row[] => [
  user(`Bitte verschieb den Zahnarzt auf nächste Woche, {{Termin ${tag} Dr. Köhler}}, möglichst früh.`),
  ...tool(
    toolu(`${tag}/cal`),
    "exec",
    { command: "khal list tomorrow 8d" },
    `Do 09:30-10:00 Zahnarzt Dr. Köhler\nMo frei\nDi 08:00-09:00 Jour fixe {{Kalender ${tag} Raum Süd}}`,
  ),
  assistant([`Ich habe Montag 08:00 vorgeschlagen, {{Vorschlag ${tag} bestätigt}}. Die Praxis meldet sich bei dir.`]),
];

export const whatsapp = (tag: string): Row[] => [
  user(`[WhatsApp] صباح الخير، متى يصل الطلب؟ {{رقم الطلب ${tag} 77120}}`),
  assistant([`صباح النور! {{الطلب ${tag} في الطريق}} ويصل غدًا بين التاسعة والحادية عشرة.`]),
  user("شكرًا جزيلًا 🙏"),
  assistant(["على الرحب والسعة 🌿"]),
];

export const search = (tag: string): Row[] => [
  user(`京都の桜の見頃を調べて。{{旅行メモ ${tag} 四月}}`),
  ...tool(
    toolu(`${tag}/search`),
    "web_search",
    { query: "京都 桜 見頃 2026" },
    `1. 開花予想 3月24日、満開 4月1日 {{出典 ${tag} 気象情報}}\n2. 円山公園 ライトアップ 3/20-4/12`,
  ),
  assistant([`満開は4月1日ごろです。{{回答 ${tag} 円山公園}}は夜のライトアップもあります🌸`]),
];

export const files = (tag: string): Row[] => [
  user(`Relis le brouillon du contrat, s'il te plaît : {{dossier ${tag} n° 5521}}`),
  ...tool(
    toolu(`${tag}/read`),
    "read",
    { path: "contrats/brouillon.md" },
    `# Contrat de prestation\n\nArticle 1. Objet {{clause ${tag} durée de douze mois}}\nArticle 2. Prix : 14 800 € hors taxes`,
  ),
  assistant([`L'article 2 ne dit pas quand on paie. {{Remarque ${tag} échéance absente}}, je propose trente jours.`]),
];

export const deploy = (tag: string): Row[] => [
  user(`Ship the web app once the tests are green, release {{rel-${tag}-2.14.0}}`),
  assistant([
    `Running both suites first. {{plan ${tag} tests before deploy}}`,
    call(toolu(`${tag}/unit`), "exec", { command: "npm test -- --reporter=dot" }),
    call(toolu(`${tag}/e2e`), "exec", { command: "npm run e2e" }),
  ]),
  result(toolu(`${tag}/unit`), "exec", `Test Files  214 passed (214)\n     Tests  1903 passed {{unit run ${tag}}}`),
  result(toolu(`${tag}/e2e`), "exec", `48 passed (3.1m) {{e2e run ${tag} chromium}}`),
  assistant([`Both are green, released. {{deploy id ${tag} d-90a1}}`]),
];

export const weather = (tag: string): Row[] => [
  user(`¿Llueve mañana en Bilbao? ☔ {{nota ${tag} excursión}}`),
  assistant([`Sí, {{pronóstico ${tag} 12 mm}} por la tarde. Lleva paraguas 🌧️👨‍👩‍👧‍👦`]),
];

/** A user's attempts to revive a session that answers nothing but errors. */
export const pleas = (tag: string, error: string): Row[] =>
  [
    `are you there? {{plea ${tag} one}}`,
    "hello??",
    `please answer, the customer is waiting {{plea ${tag} three}}`,
  ].flatMap((line) => [user(line), failed([], `400 ${error}`)]);

const JOBS: [ask: string, name: string, key: string, value: string, output: (n: number) => string, answer: string][] = [
  [
    "Check the backup of host",
    "exec",
    "command",
    "restic snapshots --latest 1",
    (n) => `snapshot ${(n * 7919).toString(16)} saved, ${n % 9} files changed`,
    "The backup is fine.",
  ],
  [
    "Read chapter",
    "read",
    "path",
    "book/chapter.md",
    (n) => lines(3, (i) => `Paragraph ${n}.${i}: the harbour was quiet, and the boats lay still.`),
    "It needs a stronger opening.",
  ],
  [
    "Look up the train for trip",
    "web_search",
    "query",
    "Zug Hamburg Kopenhagen",
    (n) => `EC ${390 + (n % 8)} ab 0${5 + (n % 5)}:53, an 1${n % 10}:38`,
    "There is one direct train.",
  ],
  [
    "Water the plants, reminder",
    "cron",
    "action",
    "list",
    (n) => `job ${n}: every ${1 + (n % 6)} days, next run 07:00`,
    "The reminder is set.",
  ],
];

/** `count` rounds of question, call, result and answer: four messages each; every `every`-th carries markers. */
export const rounds = (tag: string, count: number, every = 25, from = 0): Row[] =>
  Array.from({ length: count }, (_, offset) => {
    const n = from + offset;
    const [ask, name, key, value, output, answer] = JOBS[n % JOBS.length]!;
    const mark = (what: string): string => (n % every === 0 ? ` {{${tag} ${what} of round ${n} end}}` : "");
    return [
      user(`${ask} ${n}${mark("question")}`),
      ...tool(toolu(`${tag}/round/${n}`), name, { [key]: value }, `${output(n)}${mark("output")}`),
      assistant([`${answer}${mark("answer")}`]),
    ];
  }).flat();
