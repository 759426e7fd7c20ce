/** Pins fast-check's seed when `SEED` is set, so that a run can be repeated; left alone, each run draws its own. */
const text = process.env["SEED"];

if (text !== undefined && text !== "") {
  const seed = Number(text);
  if (!Number.isInteger(seed)) throw new Error(`SEED must be an integer, and is "${text}"`);
  const { configureGlobal, readConfigureGlobal } = await import("fast-check");
  configureGlobal({ ...readConfigureGlobal(), seed });
}
