/**
 * The editor: retained from survey to survey. It is woken by findings and notes them (they are in its transcript from
 * then on); asked for the report, it composes it from its transcript, and its final response is the report.
 */
import type { Transcript, Turn } from "dovecote";
import {
  type AgentKind,
  type Finding,
  type WriteReport,
  newestFirst,
  pack,
  plain,
  unpack,
} from "./messages.js";
import { type Edition, composeReport } from "./report.js";

/** See the module header. The sample stands where an editor with a model would call it. */
export async function editor(turn: Turn<AgentKind>): Promise<string> {
  let edition: Edition | undefined;
  const response = await turn.sample(async ({ mail, transcript }) => {
    const order = mail.map(({ text }) => unpack(text, "report")).findLast((one) => one);
    const gathered = order === undefined ? undefined : await gather(transcript, order);
    if (order !== undefined && gathered?.isWhole === true) {
      const { findings, before } = gathered;
      edition = { kind: "edition", survey: order.survey, findings };
      return composeReport(order, findings, before);
    }
    const found = mail.flatMap(({ text }) => unpack(text, "finding") ?? []);
    const folders = found.map(({ folder }) => plain(folder)).join(", ");
    return pack(folders === "" ? "Ready." : `Noted: ${folders}.`, { kind: "noted" });
  });
  if (edition !== undefined) await turn.record(edition);
  return response;
}

/** What a report is made of. It is not whole while a finding is missing: an order left from a killed run came too early. */
interface Gathered {
  readonly findings: readonly Finding[];
  readonly before: Edition | undefined;
  readonly isWhole: boolean;
}

/** The newest finding on each folder of this survey, and the edition before it. */
async function gather(transcript: Transcript, order: WriteReport): Promise<Gathered> {
  const found = new Map<string, Finding>();
  let before: Edition | undefined;
  for await (const { kind, text, data } of newestFirst(transcript)) {
    if (kind === "mail") {
      const finding = unpack(text, "finding");
      if (finding?.survey !== order.survey || found.has(finding.folder)) continue;
      found.set(finding.folder, finding);
    } else if (kind === "recorded") {
      const edition = data as unknown as Edition;
      if (edition.survey >= order.survey) continue;
      before = edition;
      break;
    }
  }
  const findings = order.folders.flatMap((folder) => found.get(folder) ?? []);
  const missing = order.folders.length - findings.length;
  return { findings, before, isWhole: missing === order.failed.length };
}
