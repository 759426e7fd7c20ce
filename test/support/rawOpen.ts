/** A process of its own that opens a bare LevelDB and writes to it, with nothing of this library around it. */
import { Level } from "level";

const [folder = ""] = process.argv.slice(2);
const level = new Level<string, string>(folder);
try {
  await level.open();
  await level.put("theirs", "written", { sync: true });
  await level.close();
  console.log("wrote");
} catch {
  console.log("refused");
}
