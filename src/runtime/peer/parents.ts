/**
 * The two sources about an agent's parent, asked and put into words (O2). What a host reports is believed only within its
 * bounds; whatever it is, nothing is thrown and nothing is changed by it.
 */
import type { ParentEvidence } from "../../events/operations.js";
import type { AgentRef } from "../../events/refs.js";
import { utf8Bytes } from "../../kernel/messages.js";
import {
  isAddressable,
  parentEvidence,
  type ParentReport,
  SILENT,
  verifiedParent,
} from "../../kernel/parents.js";
import type { State } from "../../kernel/state.js";
import { isAgentPath } from "../../paths.js";
import { reasonOf } from "../reason.js";
import type { AgentIdentity, AgentParentReference, ReportParent } from "./api.js";
import type { Bounded } from "./bounded.js";

/** The largest report, in bytes of UTF-8, of names and values. */
const MAX_REPORT_BYTES = 4_096;

/** An identity as users see it. */
export function identityOf({ path, gen }: AgentRef): AgentIdentity {
  return { path, generation: gen };
}

/** Asks the host's adapter about one agent, within its bounds (O2). */
export async function askHost(
  reportParent: ReportParent | undefined,
  bounded: Bounded,
  agent: AgentRef,
): Promise<ParentReport> {
  if (reportParent === undefined) return SILENT;
  try {
    return readReport(await bounded.call((signal) => reportParent(identityOf(agent), signal)));
  } catch (thrown) {
    return { kind: "unusable", why: reasonOf(thrown) };
  }
}

function readReport(report: unknown): ParentReport {
  if (report === undefined) return SILENT;
  if (report === null) return { kind: "none" };
  if (spend(report, MAX_REPORT_BYTES) < 0) {
    return { kind: "unusable", why: `it is larger than ${MAX_REPORT_BYTES} bytes` };
  }
  const { path, generation } = report as Partial<Record<keyof AgentIdentity, unknown>>;
  const isCount = Number.isSafeInteger(generation) && (generation as number) > 0;
  if (typeof path === "string" && isAgentPath(path) && isCount) {
    return { kind: "parent", parent: { path, gen: generation as number } };
  }
  return { kind: "unusable", why: "it is no path with a generation" };
}

/** What is left of a budget of bytes once a value is paid for; it stops as soon as nothing is left. */
function spend(value: unknown, budget: number): number {
  if (typeof value === "string") return value.length > budget ? -1 : budget - utf8Bytes(value);
  if (typeof value !== "object" || value === null) return budget - 8;
  let left = budget - 2;
  for (const name in value) {
    if (left < 0) break;
    left = spend(value[name as keyof typeof value], spend(name, left));
  }
  return left;
}

/** What is known of an agent's parent, as users see it (O2). */
export function parentReference(
  state: State,
  agent: AgentRef,
  report: ParentReport,
): AgentParentReference {
  const evidence = parentEvidence(state, agent, report);
  const parent = verifiedParent(evidence);
  const reason = wordsOf(agent, evidence);
  const known = { agent: identityOf(agent), answer: evidence.answer, reason };
  if (parent === undefined) return { ...known, addressable: false };
  const addressable = isAddressable(state, parent, false);
  return { ...known, source: sourceOf(evidence), parent: identityOf(parent), addressable };
}

function sourceOf({ session, host }: ParentEvidence): "session" | "host" | "both" {
  if (session === undefined) return "host";
  return host === undefined ? "session" : "both";
}

/** Evidence in words: why there is a parent to copy to, or none. */
export function wordsOf(agent: AgentRef, evidence: ParentEvidence): string {
  const who = `${agent.path}, generation ${agent.gen},`;
  const { answer, session, host, unusable } = evidence;
  switch (answer) {
    case "verified":
      return `the parent of ${who} is ${claimed(session ?? host)}`;
    case "absent":
      return `${who} has no parent`;
    case "conflict":
      return `the parent of ${who} is ${claimed(session)} by the session's record, and ${claimed(host)} by the host's report`;
    case "uncertain":
      return unusable === undefined
        ? `nothing is known of the parent of ${who}`
        : `the parent of ${who} is uncertain, for the host's report can't be used: ${unusable}`;
  }
}

function claimed(claim: AgentRef | null | undefined): string {
  return claim == null ? "nobody" : `${claim.path}, generation ${claim.gen}`;
}
