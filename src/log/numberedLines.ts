/** Lines that know their numbers, so that whoever finds one broken can name it. */
import { DovecoteError, ImportBroken } from "../errors.js";

/** Lines with their numbers, which start at 1. */
export class Numbered {
  readonly #lines: AsyncIterator<string> | Iterator<string>;
  #number = 0;

  constructor(lines: AsyncIterable<string> | Iterable<string>) {
    this.#lines =
      Symbol.asyncIterator in lines ? lines[Symbol.asyncIterator]() : lines[Symbol.iterator]();
  }

  async next(): Promise<string | undefined> {
    this.#number += 1;
    const next: IteratorResult<string, unknown> = await this.#lines.next();
    return next.done === true ? undefined : next.value;
  }

  /** What is said of the line that was read last. */
  broken(detail: string, cause?: unknown): ImportBroken {
    return new ImportBroken(this.#number, detail, cause === undefined ? {} : { cause });
  }

  /** Runs a check of the line that was read last. */
  mustHold(run: () => unknown): void {
    try {
      run();
    } catch (error) {
      if (!(error instanceof DovecoteError)) throw error;
      throw this.broken(error.message, error);
    }
  }
}
