// Which nodes a search finds.

import type { Tree } from "./tree";

export interface Found {
  /** 1 for nodes whose frame matches, and for everything above and below them. */
  readonly lit: Uint8Array;
  /** Frames that match, and their cost on both sides: a place below another match counts with that one. */
  readonly frames: number;
  readonly baseline: number;
  readonly candidate: number;
}

/** Nodes whose name holds every word of `text`, whatever the case; null for an empty search. */
export function search(tree: Tree, text: string): Found | null {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  const matching = tree.names.map((name) => {
    const lower = name.toLowerCase();
    return words.every((word) => lower.includes(word));
  });
  const count = tree.parent.length;
  const lit = new Uint8Array(count);
  const below = new Uint8Array(count);
  const frames = new Set<number>();
  let [baseline, candidate] = [0, 0];
  for (let node = 1; node < count; node += 1) {
    const above = tree.parent[node] as number;
    const frame = tree.frame[node] as number;
    const matches = matching[frame] === true;
    if (matches) frames.add(frame);
    if (matches && below[above] !== 1) {
      baseline += tree.baseline[node] as number;
      candidate += tree.candidate[node] as number;
    }
    if (matches || below[above] === 1) {
      below[node] = 1;
      lit[node] = 1;
    }
  }
  for (let node = count - 1; node > 0; node -= 1) {
    if (lit[node] === 1) lit[tree.parent[node] as number] = 1;
  }
  return { lit, frames: frames.size, baseline, candidate };
}
