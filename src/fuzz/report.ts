/**
 * A failure as text: a lane for each agent, the token, how to replay it, and a test that fails the same way. Coloured for a
 * terminal, plain elsewhere. It runs nothing.
 */
import { styleText } from "node:util";
import type { Failure } from "./fuzz.js";
import { subjectOf } from "./strategies/strategy.js";

/** How to print. */
export interface RenderOptions {
  /** For a terminal; plain unless given. */
  readonly isColoured?: boolean;
  /** The file whose default export is the world, for the command that replays it. */
  readonly file?: string;
}

type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

const LANE = 26;
/** Steps that are printed at most: the last of them. */
const MOST_ROWS = 60;

/** The report of a failure: lanes, violations, token, command and test. */
export function renderFailure(failure: Failure, options: RenderOptions = {}): string {
  const { isColoured = false, file = "FILE" } = options;
  const paint: Paint = (style, text) =>
    isColoured ? styleText(style, text, { validateStream: false }) : text;
  const { world, token, violations, steps, found } = failure;
  const wrong = violations.map(({ rule, at, what }) => {
    return `${paint("red", rule)} at ${at.join(".")}: ${what}`;
  });
  return [
    `${paint("bold", world)} fails after ${steps.length} steps (found after ${found.steps}, shrunk in ${found.tries} runs)`,
    ...wrong,
    "",
    ...lanes(failure, paint),
    "",
    `token   ${paint("cyan", token)}`,
    `replay  dovecote fuzz ${file} --token ${token}`,
    "",
    testOf(failure),
  ].join("\n");
}

/** A test that replays a failure: red until it is mended. */
function testOf({ world, token }: Failure): string {
  return [
    `it(${JSON.stringify(`${world} keeps what it promises`)}, async () => {`,
    `  await survives(world, { token: ${JSON.stringify(token)} });`,
    "});",
  ].join("\n");
}

/** One row a step, one column an agent; a step that the default schedule would not have taken is marked. */
function lanes({ steps, schedule }: Failure, paint: Paint): readonly string[] {
  const met = new Set(steps.map(laneOf));
  const agents = [...(met.delete("world") ? ["world"] : []), ...[...met].sort()];
  const chosen = new Set(schedule.deviations.map(({ at }) => at));
  const first = Math.max(0, steps.length - MOST_ROWS);
  const head = `        ${agents.map((agent) => cell(agent)).join("")}`.trimEnd();
  const rows = steps.slice(first).map((name, i) => {
    const at = first + i;
    const lane = agents.indexOf(laneOf(name));
    const mark = chosen.has(at) ? "*" : " ";
    const text = labelOf(name);
    const shown = chosen.has(at) ? paint("yellow", text) : text;
    const bars = "·".padEnd(LANE).repeat(lane);
    return `${String(at).padStart(5)} ${mark} ${bars}${shown}`;
  });
  const left = first === 0 ? [] : [`        ${first} steps before`];
  return [paint("dim", head), ...left, ...rows];
}

/** The agent whose step it is; what belongs to none is the world's. */
function laneOf(name: string): string {
  const subject = subjectOf(name);
  return subject.startsWith("/") ? (subject.split(/[#.]/, 1)[0] ?? subject) : "world";
}

function labelOf(name: string): string {
  const lane = laneOf(name);
  return lane === "world" ? name : name.slice(lane.length);
}

function cell(text: string): string {
  return (text.length < LANE ? text : `…${text.slice(2 - LANE)}`).padEnd(LANE);
}
