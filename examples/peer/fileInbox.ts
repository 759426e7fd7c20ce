/**
 * An inbox that a host keeps itself: one file a message, in a folder for each recipient. A file that is there is never
 * written again, so a message is appended once for each id.
 */
import { mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { AgentIdentity, InboxAppend, InboxLookup, PeerInbox, PeerMessage } from "dovecote";

/** How many messages one recipient may have before it is full. */
const MOST = 100;

/** Keeps messages in files below a folder. */
export function fileInbox(folder: string): PeerInbox {
  const boxOf = ({ path, generation }: AgentIdentity): string =>
    join(folder, `${path.slice(1).replaceAll("/", ".")}.${generation}`);
  const fileOf = (to: AgentIdentity, id: string): string =>
    join(boxOf(to), `${encodeURIComponent(id)}.json`);

  const lookup = async (to: AgentIdentity, id: string): Promise<InboxLookup> => {
    const text = await readFile(fileOf(to, id), "utf8").catch(() => undefined);
    if (text === undefined) return { kind: "missing" };
    return { kind: "found", message: JSON.parse(text) as PeerMessage, place: "pending" };
  };

  const append = async (message: PeerMessage): Promise<InboxAppend> => {
    const box = boxOf(message.to);
    await mkdir(box, { recursive: true });
    if ((await readdir(box)).length >= MOST) {
      return { kind: "refused", reason: `${message.to.path} has ${MOST} messages`, code: "full" };
    }
    return (await write(fileOf(message.to, message.id), message))
      ? { kind: "appended" }
      : { kind: "present", place: "pending" };
  };
  return { append, lookup };
}

/** Writes a file that is not there yet, durably; `false` when it is there. One that could not be written whole is removed. */
async function write(path: string, message: PeerMessage): Promise<boolean> {
  const file = await open(path, "wx").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST") return undefined;
    throw error;
  });
  if (file === undefined) return false;
  try {
    await file.writeFile(JSON.stringify(message));
    await file.sync();
    return true;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
