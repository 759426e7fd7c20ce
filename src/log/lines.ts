/**
 * Lines in files. They end with a newline and nothing else ends them: a record may hold every other character that
 * readers of lines like to stop at.
 */
import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DovecoteError } from "../errors.js";
import { unavailable, UNFINISHED } from "./files.js";

/**
 * The lines of a file, one at a time. Bytes that are no UTF-8 come as the replacement character, so that whoever checks
 * the line can name it.
 *
 * @throws LogUnavailable when it can't be read.
 * @example await importLog(log, () => readLines("./backup.jsonl"))
 */
export async function* readLines(path: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let parts: string[] = [];
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
      const [first = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n");
      parts.push(first);
      for (const other of others) {
        yield parts.join("");
        parts = [other];
      }
    }
  } catch (error) {
    throw unavailable(`${path} can't be read`, error);
  }
  const last = parts.join("") + decoder.decode();
  if (last !== "") yield last;
}

/**
 * Writes lines into a file, which is there whole or not at all.
 *
 * @throws LogUnavailable when it can't be written; what `lines` throws, if that is one of this library's errors.
 * @example await writeLines("./backup.jsonl", exportLog(log))
 */
export async function writeLines(path: string, lines: AsyncIterable<string>): Promise<void> {
  const unfinished = `${path}${UNFINISHED}`;
  const ended = async function* (): AsyncGenerator<string> {
    for await (const line of lines) yield `${line}\n`;
  };
  try {
    await pipeline(Readable.from(ended()), createWriteStream(unfinished, { flush: true }));
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    if (error instanceof DovecoteError) throw error;
    throw unavailable(`${path} can't be written`, error);
  }
}
