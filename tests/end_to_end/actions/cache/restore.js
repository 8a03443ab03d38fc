const fs = require("fs");
const { paths } = require("./paths.js");

for (const { here, kept } of paths()) {
  if (fs.existsSync(kept)) fs.cpSync(kept, here, { recursive: true });
}
