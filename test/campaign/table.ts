/** The table of a campaign: what was tried, and what became of it. */

/**
 * How a case ended. `reported`: it was refused, and rightly. `harmless`: everything is there. `lag`: what is gone had been
 * confirmed within the watermark's last second. `alarm`: a whole log was refused. `lost`: something that had been
 * confirmed is gone or wrong and nobody said so, a refusal changed the folder, or an error had no type.
 */
export type Verdict = "reported" | "harmless" | "lag" | "alarm" | "lost";

const VERDICTS: readonly Verdict[] = ["reported", "harmless", "lag", "alarm", "lost"];

/** Counts of one kind of case. */
export type Row = { readonly kind: string } & Record<Verdict, number>;

/** Gathers verdicts, and says of those that must not be how to see them again. */
export class Table {
  readonly #rows = new Map<string, Row>();
  readonly failures: string[] = [];

  add(kind: string, verdict: Verdict, detail: string): void {
    const none = { reported: 0, harmless: 0, lag: 0, alarm: 0, lost: 0 };
    const row = this.#rows.get(kind) ?? { kind, ...none };
    row[verdict] += 1;
    this.#rows.set(kind, row);
    if (verdict === "alarm" || verdict === "lost")
      this.failures.push(`${kind}: ${verdict}: ${detail}`);
  }

  get rows(): readonly Row[] {
    return [...this.#rows.values()];
  }

  /** As Markdown, for docs/log.md. */
  toString(): string {
    const lines = this.rows.map((row) => {
      const tried = VERDICTS.reduce((sum, verdict) => sum + row[verdict], 0);
      return `| ${[row.kind, tried, ...VERDICTS.map((verdict) => row[verdict])].join(" | ")} |`;
    });
    return [
      "| case | tried | reported rightly | harmless | inside the lag | false alarms | lost |",
      "| --- | --- | --- | --- | --- | --- | --- |",
      ...lines,
    ].join("\n");
  }
}
