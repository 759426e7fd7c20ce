/**
 * What is known of an agent's parent, and whom mail to a path would reach (O2). Pure, and asked of any state, live or
 * recorded. It looks at the agents it is asked about and at no other; evidence never changes what it is about.
 */
import type { ParentEvidence } from "../events/operations.js";
import type { AgentRef } from "../events/refs.js";
import { endingOf } from "./guards.js";
import type { State } from "./state.js";

/** What a host's adapter said of an agent's parent, once it was found to be within its bounds (O2). */
export type ParentReport =
  | { readonly kind: "parent"; readonly parent: AgentRef }
  /** It knows that there is none. */
  | { readonly kind: "none" }
  /** It knows nothing, or there is no adapter. */
  | { readonly kind: "silent" }
  /** Late, too large, malformed or failed: it might have said anything. */
  | { readonly kind: "unusable"; readonly why: string };

/** The report of a host that has no adapter. */
export const SILENT: ParentReport = { kind: "silent" };

/** The two sources put together (O2): two that speak must agree, and a report past its bounds leaves it uncertain. */
export function parentEvidence(
  state: State,
  child: AgentRef,
  report: ParentReport,
): ParentEvidence {
  const session = recordedParent(state, child);
  const host = claimOf(report);
  const claims = {
    ...(session === undefined ? {} : { session }),
    ...(host === undefined ? {} : { host }),
  };
  if (report.kind === "unusable") return { answer: "uncertain", ...claims, unusable: report.why };
  return { answer: weigh(session, host), ...claims };
}

/** The parent that evidence has verified (O2). */
export function verifiedParent({ answer, session, host }: ParentEvidence): AgentRef | undefined {
  return answer === "verified" ? (session ?? host ?? undefined) : undefined;
}

/** The session's own record: of an agent that is retained, or of the newest that has ended at its path. */
function recordedParent(state: State, { path, gen }: AgentRef): AgentRef | null | undefined {
  const agent = state.durable.agents.get(path);
  if (agent?.gen === gen) return agent.parent;
  const gone = state.durable.retired.get(path);
  return gone?.gen === gen ? gone.parent : undefined;
}

function claimOf(report: ParentReport): AgentRef | null | undefined {
  if (report.kind === "parent") return report.parent;
  return report.kind === "none" ? null : undefined;
}

type Claim = AgentRef | null | undefined;

function weigh(session: Claim, host: Claim): ParentEvidence["answer"] {
  if (session === undefined && host === undefined) return "uncertain";
  if (session !== undefined && host !== undefined && !isSame(session, host)) return "conflict";
  return (session ?? host ?? null) === null ? "absent" : "verified";
}

function isSame(one: AgentRef | null, other: AgentRef | null): boolean {
  return one?.path === other?.path && one?.gen === other?.gen;
}

/**
 * Whether an identity is the very one that mail to its path would reach now (O2). An ended agent whose path nobody has
 * taken since is still reached, in the queue that nobody reads; `live` asks for one that is retained (O4).
 */
export function isAddressable(state: State, { path, gen }: AgentRef, live: boolean): boolean {
  const agent = state.durable.agents.get(path);
  if (agent !== undefined) {
    return agent.gen === gen && !(live && endingOf(state, path) !== undefined);
  }
  return !live && state.durable.retired.get(path)?.gen === gen;
}
