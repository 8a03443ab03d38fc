// A frame in words, for its tooltip and for those who do not see the drawing.

import type { Tree } from "./tree";

export const TITLES: Record<string, string> = { cpu: "CPU", wall: "Wall clock", alloc: "Allocation", lock: "Locks" };

export function amount(value: number, event: string): string {
  const size = Math.abs(value);
  if (event === "alloc") {
    if (size >= 1e6) return `${(value / 1e6).toPrecision(3)} MB`;
    return size >= 1e3 ? `${(value / 1e3).toPrecision(3)} kB` : `${value.toFixed(0)} B`;
  }
  return `${size >= 100 ? value.toFixed(0) : size >= 1 ? value.toPrecision(3) : value.toFixed(3)} ms`;
}

function signed(value: number, event: string): string {
  return `${value < 0 ? "−" : "+"}${amount(Math.abs(value), event)}`;
}

function share(part: number, whole: number): string {
  if (!(whole > 0)) return "–";
  const percent = (100 * part) / whole;
  return `${percent >= 9.95 ? percent.toFixed(0) : percent.toPrecision(2)} %`;
}

/** Name of a node; the root stands for everything chosen. */
export function nameOf(tree: Tree, node: number): string {
  return node === 0 ? "everything" : (tree.names[tree.frame[node] as number] ?? "?");
}

/** Class and method, or a function without its library: the whole name is in the tooltip. */
export function shortened(name: string): string {
  const native = /^[^/]+\.so(?:\.\d+)*\.(.+)$/.exec(name);
  if (native) return native[1] as string;
  const parts = name.split(".");
  return parts.length > 2 && /^[a-z]/.test(name) ? parts.slice(-2).join(".") : name;
}

/** The change beyond noise: 1 more, -1 less, 0 when its interval reaches zero. */
export function certain(tree: Tree, node: number): -1 | 0 | 1 {
  const change = (tree.candidate[node] as number) - (tree.baseline[node] as number);
  if (!(Math.abs(change) > (tree.margin[node] as number))) return 0;
  return change > 0 ? 1 : -1;
}

/** Sentences about one node: both sides, the change and how sure it is, its own part. */
export function describe(tree: Tree, node: number, event: string): string[] {
  const [before, after] = [tree.baseline[node] as number, tree.candidate[node] as number];
  const [ownBefore, ownAfter] = [tree.ownBaseline[node] as number, tree.ownCandidate[node] as number];
  const [allBefore, allAfter] = [tree.baseline[0] as number, tree.candidate[0] as number];
  const words = [
    `baseline ${amount(before, event)} (${share(before, allBefore)}), ` +
      `candidate ${amount(after, event)} (${share(after, allAfter)}) per request`,
  ];
  if (before === 0 && after > 0) words.push("only on the candidate");
  if (after === 0 && before > 0) words.push("gone from the candidate");
  const margin = tree.margin[node] as number;
  const sure = !Number.isFinite(margin)
    ? "no interval is known"
    : certain(tree, node) === 0
      ? "within noise"
      : `beyond noise of ±${amount(margin, event)}`;
  words.push(`change ${signed(after - before, event)}, ${sure}`);
  words.push(`of its own ${amount(ownBefore, event)} before, ${amount(ownAfter, event)} now`);
  return words;
}
