/** Reading what was compressed with Snappy, as the blocks of LevelDB's tables are. */

/** The bytes that were compressed. @throws when they are no whole Snappy stream */
export function unsnappy(bytes: Buffer): Buffer {
  let at = 0;
  const next = (): number => {
    const byte = bytes[at++];
    if (byte === undefined) throw new Error("cut off");
    return byte;
  };
  const number = (count: number): number => {
    let value = 0;
    for (let index = 0; index < count; index += 1) value += next() * 0x100 ** index;
    return value;
  };
  let [length, factor] = [0, 1];
  for (let byte = 0x80; byte >= 0x80; factor *= 0x80) {
    byte = next();
    length += (byte & 0x7f) * factor;
  }
  const out = Buffer.alloc(length);
  let end = 0;
  while (at < bytes.length) {
    const tag = next();
    if ((tag & 3) === 0) {
      const short = tag >> 2;
      const size = 1 + (short < 60 ? short : number(short - 59));
      if (at + size > bytes.length || end + size > length) throw new Error("cut off");
      end += bytes.copy(out, end, at, at + size);
      at += size;
      continue;
    }
    const size = (tag & 3) === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const back = (tag & 3) === 1 ? ((tag >> 5) << 8) + next() : number((tag & 3) === 2 ? 2 : 4);
    if (back === 0 || back > end || end + size > length) throw new Error("points outside");
    // Byte by byte: what is copied may reach into what is being written.
    for (let index = 0; index < size; index += 1) out[end] = out[end++ - back] as number;
  }
  if (end !== length) throw new Error("cut off");
  return out;
}
