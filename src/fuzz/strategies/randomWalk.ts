/** The strategy `random`: each possible step is as likely as any other. */
import type { Strategy } from "./strategy.js";

/** See the module header. */
export const randomWalk: Strategy = {
  name: "random",
  begin: (random) => ({ choose: ({ names }) => random.pick(names) }),
};
