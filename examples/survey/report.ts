/**
 * The report as text: a pure function of the findings, so that the same folder gives the same report.
 */
import { type Finding, type WriteReport, clip, count, plain } from "./messages.js";

/** What the editor keeps of a report: the findings it was made of. */
export type Edition = {
  readonly kind: "edition";
  readonly survey: number;
  readonly findings: readonly Finding[];
};

const NAME_WIDTH = 24;
const LANGUAGES_WIDTH = 32;
const MOST_LANGUAGES = 2;
const MOST_KINDS = 5;
const CHANGE_WIDTH = 48;

const number = new Intl.NumberFormat("en-US");

/** The whole report. `before` is the edition of the survey before this one. */
export function composeReport(
  order: WriteReport,
  findings: readonly Finding[],
  before: Edition | undefined,
): string {
  const sections = [
    `Survey ${order.survey} of ${plain(order.target)}`,
    order.folders.length === 0 ? "There is nothing to survey in it." : table(findings),
    order.asked === null ? "" : asked(order.asked),
    before === undefined ? "" : changesSince(before, findings, order),
    notes(order, findings),
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}

/** A folder's name for people. */
function folderName(folder: string): string {
  return folder === "." ? "(files at the top)" : plain(folder);
}

function table(findings: readonly Finding[]): string {
  if (findings.length === 0) return "";
  const head = ["folder", "files", "lines", "languages (lines)", "newest change"] as const;
  const rows = findings.map((one) => [
    clip(folderName(one.folder), NAME_WIDTH),
    number.format(one.files),
    number.format(one.lines),
    clip(languagesOf(one), LANGUAGES_WIDTH),
    clip(one.newest ?? "-", CHANGE_WIDTH),
  ]);
  const files = findings.reduce((sum, one) => sum + one.files, 0);
  const lines = findings.reduce((sum, one) => sum + one.lines, 0);
  const all = ["all", number.format(files), number.format(lines), "", ""];
  return columns([[...head], ...rows, all]);
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = [0, 1, 2, 3, 4].map((at) =>
    Math.max(...rows.map((row) => (row[at] ?? "").length)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => {
        const width = widths[at] ?? 0;
        return at === 1 || at === 2 ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd();
  return rows.map(line).join("\n");
}

function languagesOf({ languages }: Finding): string {
  const written = languages.filter(({ lines }) => lines > 0);
  const shown = written.slice(0, MOST_LANGUAGES);
  const words = shown.map(({ name, lines }) => `${name} ${number.format(lines)}`);
  const rest = written.length - shown.length;
  return [...words, ...(rest > 0 ? [`+${rest}`] : [])].join(", ") || "-";
}

function asked({ folder, answer }: NonNullable<WriteReport["asked"]>): string {
  return `Longest file of ${folderName(folder)}, which has the most lines: ${answer}`;
}

function changesSince(before: Edition, findings: readonly Finding[], order: WriteReport): string {
  const known = new Set(before.findings.map(({ folder }) => folder));
  const failed = new Set(order.failed.map(({ folder }) => folder));
  const present = new Set(findings.map(({ folder }) => folder));
  const changed = findings.flatMap((one) => {
    const what = known.has(one.folder) || one.changes !== null ? changeOf(one) : "new";
    return what === "" ? [] : [[one.folder, what] as const];
  });
  const gone = before.findings
    .filter(({ folder }) => !present.has(folder) && !failed.has(folder))
    .map(({ folder }) => [folder, "gone, or left out this time"] as const);
  const rows = [...changed, ...gone];
  if (rows.length === 0) return `Since survey ${before.survey}: nothing has changed.`;
  const width = Math.max(...rows.map(([folder]) => folderName(folder).length));
  const lines = rows.map(([folder, what]) => `  ${folderName(folder).padEnd(width)}  ${what}`);
  const same = findings.length - changed.length;
  const rest = same === 0 ? [] : [`  ${same} ${same === 1 ? "part is" : "parts are"} as before`];
  return [`Since survey ${before.survey}:`, ...lines, ...rest].join("\n");
}

function changeOf({ changes }: Finding): string {
  if (changes === null) return "";
  const counts = (["added", "removed", "changed"] as const).flatMap((what) =>
    changes[what] === 0 ? [] : [`${changes[what]} ${what}`],
  );
  const { lines, examples } = changes;
  const more = number.format(Math.abs(lines));
  if (lines !== 0)
    counts.push(`${lines > 0 ? "+" : "-"}${more} ${more === "1" ? "line" : "lines"}`);
  const all = changes.added + changes.removed + changes.changed;
  const rest = all > examples.length ? ", ..." : "";
  const list = examples.length === 0 ? "" : ` (${examples.join(", ")}${rest})`;
  return `${counts.join(", ")}${list}`;
}

function notes(order: WriteReport, findings: readonly Finding[]): string {
  const failed = order.failed.map(({ folder, reason }) => {
    return `${folderName(folder)} could not be surveyed: ${plain(reason)}`;
  });
  const said = findings.flatMap(({ folder, notes: own }) =>
    own.map((note) => `${folderName(folder)}: ${note}`),
  );
  const left = order.leftOut.map(({ why, names, more }) => {
    const all = [...names.map(plain), ...(more > 0 ? [`${number.format(more)} more`] : [])];
    return `Left out (${why}): ${all.join(", ")}`;
  });
  return [...failed, ...said, ...notCounted(findings), ...left].join("\n");
}

/** Which files have no lines in the table, by extension. */
function notCounted(findings: readonly Finding[]): string[] {
  const kinds = new Map<string, number>();
  for (const { kind, files } of findings.flatMap(({ notText }) => notText)) {
    kinds.set(kind, (kinds.get(kind) ?? 0) + files);
  }
  if (kinds.size === 0) return [];
  const most = [...kinds].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const shown = most.slice(0, MOST_KINDS).map(([kind, files]) => `${plain(kind)} ${files}`);
  const rest = most.length > MOST_KINDS ? [`+${most.length - MOST_KINDS}`] : [];
  const files = most.reduce((sum, [, more]) => sum + more, 0);
  const are = `${count(files, "file")} ${files === 1 ? "is" : "are"}`;
  return [
    `No lines are counted where there is no text: ${are} binary (${[...shown, ...rest].join(", ")})`,
  ];
}
