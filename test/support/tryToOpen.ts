/** A process of its own that tries to open a folder, and says on its one line of output how that went. */
import { DovecoteError } from "../../src/errors.js";
import { levelLog } from "../../src/log/levelLog.js";

const [folder = ""] = process.argv.slice(2);
const log = levelLog(folder);
try {
  await log.sessions();
  console.log("opened");
} catch (error) {
  console.log(error instanceof DovecoteError ? error.code : String(error));
} finally {
  await log.close();
}
