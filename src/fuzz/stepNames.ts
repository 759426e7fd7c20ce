/**
 * The names of steps, and the command that each name means in the state it meets. A name is `SUBJECT:VERB` with arguments:
 * `/root/b#2:settle.commit` is turn 2 of `/root/b`, `/root/b:prepared` its reserved start, `host:send:/root/a` the host. A name
 * holds no payload, so that it goes on meaning the same when unrelated code changes.
 */
import type { AttemptRef, TurnRef } from "../events/events.js";
import type { Point } from "../events/point.js";
import type { Command } from "../kernel/command.js";
import type { State, Turn } from "../kernel/state.js";
import type { AgentPath } from "../paths.js";
import { commands } from "../testing/commands.js";
import type { KernelRun } from "./kernelRun.js";

/** A turn as the subject of a step; the generation is left out where it is the first. */
export function turnName({ path, gen, turn }: TurnRef): string {
  return gen === 1 ? `${path}#${turn}` : `${path}.${gen}#${turn}`;
}

/** The turn of a subject; `undefined` where it names none. */
export function parseTurn(subject: string): TurnRef | undefined {
  const hash = subject.lastIndexOf("#");
  if (hash === -1) return undefined;
  const [path = "", gen = "1"] = subject.slice(0, hash).split(".");
  return { path: path as AgentPath, gen: Number(gen), turn: Number(subject.slice(hash + 1)) };
}

/** The command of a step; `undefined` where the name means none. */
export function commandNamed(run: KernelRun, name: string): Command | undefined {
  const [subject = "", verb = "", ...rest] = name.split(":");
  if (subject === "timer") return run.timers.get(name.slice("timer:".length));
  if (subject === "host") return ofHost(run, verb, rest);
  if (subject.startsWith("start#")) return ofStart(Number(subject.slice("start#".length)), verb);
  const turn = parseTurn(subject);
  if (turn !== undefined) {
    const [arg = ""] = rest;
    return ofTurn(run, turn, verb, arg) ?? ofTools(run, turn, verb, arg);
  }
  const one = run.state.volatile.reservations.find(({ path }) => path === subject);
  return one === undefined ? undefined : ofStart(one.reservation, verb);
}

function ofStart(reservation: number, verb: string): Command | undefined {
  switch (verb) {
    case "prepared":
      return commands.prepared(reservation);
    case "prepare.fail":
      return commands.notPrepared(reservation, "no");
    case "prepare.late":
      return commands.tooLate(reservation);
    default:
      return undefined;
  }
}

function ofHost(
  run: KernelRun,
  verb: string,
  [arg = "", name = "", role]: readonly string[],
): Command | undefined {
  const text = run.text(verb);
  switch (verb) {
    case "prompt":
      return commands.prompt(text);
    case "send":
      return commands.send(arg, text);
    case "spawn": {
      const kind = role === "communicator" ? role : "delegator";
      return commands.spawn(name, { parent: arg, task: text, role: kind });
    }
    case "assign":
      return commands.assign(arg, text);
    case "interrupt":
      return commands.interrupt(arg);
    case "interruptTree":
      return commands.interruptTree(arg, text);
    case "end":
      return commands.end(arg);
    case "notify":
      return commands.notify(text);
    case "hold":
      return commands.hold(arg);
    case "unhold":
      return commands.unhold(arg);
    case "plan":
      return commands.setPlan(arg === "on");
    case "capacity":
      return commands.setCapacity(Number(arg));
    case "close":
      return commands.close();
    case "flush":
      return commands.flush();
    default:
      return undefined;
  }
}

function liveTurn(state: State, { path, gen, turn }: TurnRef): Turn | null {
  const agent = state.durable.agents.get(path);
  return agent?.gen === gen && agent.turn?.turn === turn ? agent.turn : null;
}

/** The attempt that a step names, or the one that is open. */
function attemptOf(run: KernelRun, turn: TurnRef, arg: string): AttemptRef {
  const live = liveTurn(run.state, turn);
  const attempt = arg === "" ? (live?.open ?? live?.attempts ?? 0) : Number(arg);
  return { ...turn, attempt };
}

function ofTurn(run: KernelRun, turn: TurnRef, verb: string, arg: string): Command | undefined {
  switch (verb) {
    case "sample":
      return commands.sample(turn);
    case "sample.end":
      return commands.sampleEnd(attemptOf(run, turn, arg), { result: run.text("said") });
    case "sample.fail":
      return commands.sampleEnd(attemptOf(run, turn, arg), { failed: "offline" });
    case "partial":
      return commands.partial(turn, run.text(verb));
    case "record":
      return commands.record(turn, run.text(verb));
    case "wait":
      return commands.wait(turn);
    case "wait.end":
      return commands.timeout(attemptOf(run, turn, arg));
    case "finish":
      return commands.finish(turn, run.text("done"));
    case "finish.sample":
      return commands.finishWithSample(turn);
    case "fail":
      return commands.fail(turn, run.text(verb));
    case "deadline":
      return run.host.turnTimeoutMs === null ? undefined : commands.deadline(turn);
    case "settle.commit":
      return commands.settled(attemptOf(run, turn, arg));
    case "settle.fail":
      return commands.notSettled(attemptOf(run, turn, arg));
    case "settle.retry":
      return commands.retry(turn);
    default:
      return undefined;
  }
}

function ofTools(run: KernelRun, turn: TurnRef, verb: string, arg: string): Command | undefined {
  const text = run.text(verb);
  switch (verb) {
    case "send":
      return commands.send(arg, text, turn);
    case "settle.send":
      return commands.sendFinally(arg, text, attemptOf(run, turn, ""));
    case "spawn":
      return commands.spawn(arg, { by: turn, task: text });
    case "interrupt":
      return commands.interrupt(arg, turn);
    case "yield":
      return commands.yield(turn, text);
    case "complete":
    case "stop":
      return commands.complete(turn, Number(arg), text, verb === "stop");
    case "block":
      return commands.block(turn, text);
    case "unblock":
      return commands.unblock(turn, Number(arg), text);
    case "dismiss":
      return commands.unblock(turn, Number(arg));
    case "take":
      return commands.takeResult(turn, arg);
    case "handled":
    case "handled.fail": {
      const record = recordOf(run, turn, arg);
      const failed = verb === "handled" ? undefined : "the disk is full";
      return record === undefined ? undefined : commands.handled(turn, record, failed);
    }
    default:
      return undefined;
  }
}

/** The record that a turn's handler has of a child, or the one of a point such as `12.3`. */
function recordOf({ state }: KernelRun, turn: TurnRef, arg: string): Point | undefined {
  if (!arg.startsWith("/")) {
    const [n, index] = arg.split(".").map(Number);
    return n === undefined || index === undefined ? undefined : [n, index];
  }
  const handler = state.volatile.handlers.find(
    (one) => one.turn.path === turn.path && one.turn.turn === turn.turn && one.child.path === arg,
  );
  return handler?.record ?? undefined;
}
