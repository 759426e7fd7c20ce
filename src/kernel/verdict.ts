/**
 * What a rule says to a command: an answer, worked out once the decision is whole, or a rejection that names its rule.
 */
import type { Rejection, RejectionCode } from "../errors.js";
import type { Stage } from "./stage.js";

/** An answer to come, or a rejection; a rule that rejects has emitted nothing. */
export type Verdict<A> =
  | { readonly ok: true; readonly answer: (stage: Stage) => A }
  | { readonly ok: false; readonly rejection: Rejection };

/** The command is done; `answer` looks at the state after the offer that ends the decision. */
export function accept<A>(answer: (stage: Stage) => A): Verdict<A> {
  return { ok: true, answer };
}

/** Done, with nothing to say. */
export const DONE: Verdict<null> = accept(() => null);

/** The command is refused (X4). The message says what happened and what to do. */
export function reject(
  code: RejectionCode,
  rule: string,
  message: string,
): { readonly ok: false; readonly rejection: Rejection } {
  return { ok: false, rejection: { code, rule, message } };
}
