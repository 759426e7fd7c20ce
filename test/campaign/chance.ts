/** Chance that can be had again, with what a campaign draws besides numbers. */
import { Random } from "../../src/fuzz/random.js";

/** See the module header. */
export class Chance extends Random {
  /** Text that no compression makes small. */
  text(length: number): string {
    let text = "";
    while (text.length < length) text += this.below(2 ** 32).toString(36);
    return text.slice(0, length);
  }
}
