/**
 * A moment of a session as a test: everything that entered the session up to there, put to the kernel again, and how each
 * agent then stands.
 */
import type { Command } from "../kernel/command.js";
import type { Host, State } from "../kernel/state.js";
import { comparePoints, formatPoint } from "../events/point.js";
import { type AgentPath, comparePaths } from "../paths.js";
import type { Phase } from "../kernel/phases.js";
import type { Position, Trace } from "./trace.js";
import { type VerifyOptions, inputsOf } from "./verify.js";

/** How an agent stands at a moment. */
export interface Standing {
  readonly path: AgentPath;
  readonly phase: Phase;
  readonly turns: number;
  readonly unread: number;
  readonly marked: boolean;
}

/**
 * How every agent stands, by path: what a test of a moment compares.
 *
 * @example expect(standings(trace.whole)).toEqual([...])
 */
export function standings({ durable, volatile }: State): readonly Standing[] {
  return [...durable.agents.values()]
    .sort((a, b) => comparePaths(a.path, b.path))
    .map(({ path, phase, turns, unread }) => ({
      path,
      phase,
      turns,
      unread: unread.length,
      marked: volatile.marks.has(path),
    }));
}

/**
 * A vitest file that brings a session to the moment of a position, and states how it then stands. Change what it expects
 * to what should have been, and it fails until that holds.
 *
 * @example await writeFile("moment.test.ts", await toTest(trace, 212))
 */
export async function toTest(
  trace: Trace,
  position: Position = trace.position,
  options: VerifyOptions = {},
): Promise<string> {
  const at = await trace.pointOf(position);
  const commits: Command[][] = [];
  const hosts: Record<number, Host> = {};
  let state = await trace.stateAt([0, 0]);
  let run = 0;
  for await (const input of inputsOf(trace, options)) {
    if (comparePoints(input.at, at) > 0) break;
    const [n, index] = input.at;
    const { kind } = input.command;
    if (kind === "create" || kind === "open") hosts[++run] = input.before.host;
    (commits[n - 1] ??= []).push(input.command);
    state = await trace.stateAt([n, index + input.events.length - 1]);
  }
  const name = `${trace.session} stands at ${formatPoint(at)} as it did`;
  return [
    `import { expect, it } from "vitest";`,
    `import { openTrace, rerun, standings } from "dovecote/replay";`,
    ``,
    `const commits: Parameters<typeof rerun>[0]["commits"] = [`,
    ...commits.flatMap((commands) => commitLines(commands)),
    `];`,
    ``,
    `it(${JSON.stringify(name)}, async () => {`,
    `  const hosts = {${Object.entries(hosts)
      .map(([n, host]) => ` ${n}: ${hostText(host)}`)
      .join(",")} };`,
    `  const trace = await (await openTrace(rerun({ hosts, commits }))).end();`,
    `  expect(standings(trace.whole)).toEqual([`,
    ...standings(state).map((one) => `    ${JSON.stringify(one)},`),
    `  ]);`,
    `});`,
    ``,
  ].join("\n");
}

function commitLines(commands: readonly Command[]): readonly string[] {
  return ["  [", ...commands.map((command) => `    ${JSON.stringify(command)},`), "  ],"];
}

function hostText({ behaviors, prepares, finalises, turnTimeoutMs, limits }: Host): string {
  const names = JSON.stringify([...behaviors]);
  const others = JSON.stringify({ prepares, finalises, turnTimeoutMs, limits }).slice(1, -1);
  return `{ behaviors: new Set(${names}), ${others} }`;
}
