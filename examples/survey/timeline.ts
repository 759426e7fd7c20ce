/**
 * The timeline of the newest run, read back from the log: who woke whom, and why. Waits that ended at once, because mail
 * was there already, are left out.
 */
import {
  type EventLog,
  type TimelineEntry,
  buildTimeline,
  placeCommit,
  renderTimeline,
} from "dovecote";

/** The newest run of a session as a picture in plain text, no wider than `width` characters. */
export async function timelineOfRun(log: EventLog, id: string, width: number): Promise<string> {
  const reader = await log.readSession(id);
  if (reader === undefined) return "";
  try {
    const events = [];
    for await (const commit of reader.read()) events.push(...placeCommit(commit));
    const entries = buildTimeline(events);
    const opened = entries.findLastIndex((one) => one.kind === "run" && one.what === "opened");
    return renderTimeline(realWaits(entries.slice(Math.max(0, opened))), { width });
  } finally {
    await reader.close();
  }
}

function realWaits(entries: readonly TimelineEntry[]): readonly TimelineEntry[] {
  const short = new Set<string>();
  for (const one of entries) {
    if (one.kind !== "released" || one.waitedSince[0] !== one.at[0]) continue;
    short.add(one.at.join("."));
    short.add(one.waitedSince.join("."));
  }
  return entries.filter(({ at }) => !short.has(at.join(".")));
}

const MOST_ROWS = 60;
const LAST_ROWS = 20;

/** A long picture without its middle, for people; its legend stands at the end. */
export function shorten(picture: string): string {
  const [rows = "", legend = ""] = picture.split("\n\n");
  const lines = rows.split("\n");
  const out = lines.length - MOST_ROWS;
  if (out <= 0) return picture;
  const begin = lines.slice(0, MOST_ROWS - LAST_ROWS);
  return [...begin, `  ... ${out} lines are left out`, ...lines.slice(-LAST_ROWS), "", legend].join(
    "\n",
  );
}
