// Bundles the report's script and style into dist/. With --verify it writes nothing and fails when the committed
// bundle is not what the sources give.
import { readFile } from "node:fs/promises";
import { build } from "esbuild";

// The report carries a copy of uPlot, so it carries uPlot's licence too.
const licence = await readFile("node_modules/uplot/LICENSE", "utf8");
const verify = process.argv.includes("--verify");

const result = await build({
  entryPoints: ["src/report.ts"],
  outdir: "dist",
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  charset: "utf8",
  banner: { js: `/*! This holds uPlot.\n${licence.replaceAll("\r", "").trim()}\n*/` },
  write: !verify,
});

if (verify) {
  const stale = [];
  for (const file of result.outputFiles) {
    const committed = await readFile(file.path, "utf8").catch(() => "");
    if (committed !== file.text) stale.push(file.path);
  }
  if (stale.length > 0) {
    console.error(`not what the sources give: ${stale.join(", ")}; next: npm run build`);
    process.exit(1);
  }
}
