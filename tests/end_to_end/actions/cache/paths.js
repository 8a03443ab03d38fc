const path = require("path");

/** Paths asked for that lie in the workspace, with where each is kept. */
exports.paths = () =>
  process.env.INPUT_PATH.split("\n")
    .map((line) => line.trim())
    .filter((line) => line && !line.startsWith("~"))
    .map((line) => ({
      here: path.join(process.env.GITHUB_WORKSPACE, line),
      kept: path.join(process.env.STAND_INS, "cache", line),
    }));
