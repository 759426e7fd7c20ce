/**
 * The corpus: schedules that reached something new, as far as where they did. A run may follow one of them for a while and then
 * go its own way.
 */
import type { Random } from "./random.js";
import type { Deviation } from "./schedule.js";

/** More is not kept: what was found last goes in place of another. */
const MOST_KEPT = 256;

/** See the module header. */
export class Corpus {
  private readonly kept: (readonly Deviation[])[] = [];

  /** Keeps the deviations of a run up to its last step that reached something new. */
  keep(random: Random, deviations: readonly Deviation[], newest: number): void {
    const prefix = deviations.filter(({ at }) => at <= newest);
    if (prefix.length === 0) return;
    if (this.kept.length < MOST_KEPT) this.kept.push(prefix);
    else this.kept[random.below(MOST_KEPT)] = prefix;
  }

  /** A part of one that is kept, from its beginning; none while nothing is. */
  draw(random: Random): readonly Deviation[] {
    if (this.kept.length === 0) return [];
    const prefix = random.pick(this.kept);
    return prefix.slice(0, 1 + random.below(prefix.length));
  }
}
