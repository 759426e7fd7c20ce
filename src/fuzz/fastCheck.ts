/** The entry `dovecote/fuzz/fast-check`: schedules as an arbitrary of fast-check, which is needed here and nowhere else. */
import { Arbitrary, type Random as Draws, Stream, Value } from "fast-check";
import { FuzzFailed } from "./survives.js";
import { STRATEGIES, failureOf } from "./fuzz.js";
import { Random } from "./random.js";
import { type Pick, type Ran, guided, play } from "./run.js";
import { encodeSchedule } from "./schedule.js";
import { shrinks } from "./shrink.js";
import type { Strategy } from "./strategies/strategy.js";
import type { WorldKind } from "./world.js";

/** Steps that a schedule chooses; the default schedule ends the run. */
const STEPS = 500;
/** About how many steps a run takes, for strategies that ask. */
const EXPECTED = 60;

/** A schedule that has not been run yet, or has. */
export class FuzzedSchedule {
  readonly kind: WorldKind;
  /** What the run came to, once it has run. */
  ran: Ran | null = null;
  private readonly pickAnew: () => Pick;

  /** @internal */
  constructor(kind: WorldKind, pickAnew: () => Pick) {
    this.kind = kind;
    this.pickAnew = pickAnew;
  }

  /**
   * Runs it.
   *
   * @throws FuzzFailed when something is violated.
   */
  async run(): Promise<void> {
    const ran = await play(this.kind, this.pickAnew());
    this.ran = ran;
    if (ran.violations.length > 0) throw new FuzzFailed(failureOf(this.kind, ran, ran, 0));
  }

  toString(): string {
    return this.ran === null ? "a schedule that has not run" : encodeSchedule(this.ran.schedule);
  }
}

class Schedules extends Arbitrary<FuzzedSchedule> {
  private readonly kind: WorldKind;

  constructor(kind: WorldKind) {
    super();
    this.kind = kind;
  }

  override generate(draws: Draws): Value<FuzzedSchedule> {
    const seed = draws.nextInt();
    const strategy = STRATEGIES[(seed >>> 1) % STRATEGIES.length] as Strategy;
    const pickAnew = (): Pick => {
      const chooser = strategy.begin(new Random(seed), EXPECTED);
      return ({ world, fair, at }) =>
        at >= STEPS
          ? null
          : chooser.choose({ names: fair, footprint: (name) => world.footprint(name) });
    };
    return new Value(new FuzzedSchedule(this.kind, pickAnew), undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is FuzzedSchedule {
    return value instanceof FuzzedSchedule;
  }

  override shrink(value: FuzzedSchedule): Stream<Value<FuzzedSchedule>> {
    if (value.ran === null) return Stream.nil();
    const { deviations } = value.ran.schedule;
    const smaller = function* (kind: WorldKind, of: Ran): Generator<Value<FuzzedSchedule>> {
      for (const schedule of shrinks(of.schedule)) {
        // A candidate that moves a step but takes as many can go round in circles.
        if (schedule.deviations.length >= deviations.length) continue;
        yield new Value(new FuzzedSchedule(kind, () => guided(schedule)), undefined);
      }
    };
    return new Stream(smaller(this.kind, value.ran));
  }
}

/**
 * Schedules of a world, without faults, for `fc.assert`. One that fails shrinks to fewer deviations.
 *
 * @example await fc.assert(fc.asyncProperty(schedules(seats), (schedule) => schedule.run()));
 */
export function schedules(kind: WorldKind): Arbitrary<FuzzedSchedule> {
  return new Schedules(kind);
}
