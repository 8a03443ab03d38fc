const fs = require("fs");
const { paths } = require("./paths.js");

for (const { here, kept } of paths()) {
  if (fs.existsSync(here)) fs.cpSync(here, kept, { recursive: true });
}
