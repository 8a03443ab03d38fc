const fs = require("fs");
const path = require("path");

const own = process.env.GITHUB_REF;
const base = process.env.GITHUB_BASE_REF;

const lines = (text) =>
  (text || "")
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** Where the caches of a branch or pull request are; nobody else writes there. */
const folderOf = (scope) => path.join(process.env.STAND_INS, "cache", encodeURIComponent(scope));

/** The keys of a scope, oldest first. */
const keysOf = (scope) => {
  const file = path.join(folderOf(scope), "keys.json");
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file)) : [];
};

const contentOf = (scope, key) => path.join(folderOf(scope), encodeURIComponent(key));

const paths = lines(process.env.INPUT_PATH).filter((line) => !line.startsWith("~"));
const here = (line) => path.join(process.env.GITHUB_WORKSPACE, line);

/** The newest cache, as GitHub looks for it: in the scope of the run, then in that of its base, then in main's. */
exports.restore = () => {
  const key = process.env.INPUT_KEY;
  const beginnings = lines(process.env["INPUT_RESTORE-KEYS"]);
  for (const scope of [own, ...(base ? [`refs/heads/${base}`] : []), "refs/heads/main"]) {
    const keys = keysOf(scope).reverse();
    const wanted = [key, ...beginnings.map((start) => keys.find((each) => each.startsWith(start)))];
    const found = wanted.find((each) => keys.includes(each));
    if (found === undefined) continue;
    for (const line of paths) {
      const kept = path.join(contentOf(scope, found), encodeURIComponent(line));
      if (fs.existsSync(kept)) fs.cpSync(kept, here(line), { recursive: true });
    }
    console.log(`Cache restored from key: ${found}`);
    return;
  }
  console.log(`Cache not found for input keys: ${[key, ...beginnings].join(", ")}`);
};

/** Keeps the paths under the key, unless there is such a cache: one is never changed. */
exports.save = () => {
  const key = process.env.INPUT_KEY;
  const present = paths.filter((line) => fs.existsSync(here(line)));
  if (keysOf(own).includes(key) || present.length === 0) return;
  for (const line of present) {
    fs.cpSync(here(line), path.join(contentOf(own, key), encodeURIComponent(line)), { recursive: true });
  }
  fs.writeFileSync(path.join(folderOf(own), "keys.json"), JSON.stringify([...keysOf(own), key]));
  console.log(`Cache saved with key: ${key}`);
};
