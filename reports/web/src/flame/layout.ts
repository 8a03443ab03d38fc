// Where each frame goes: a row per depth, as wide as its cost.

import { pathTo, type Tree } from "./tree";

export type Mode = "baseline" | "candidate" | "diff";

/** A frame on screen; `x` and `width` are shares of the whole width, `row` counts from the root. */
export interface Box {
  readonly node: number;
  readonly row: number;
  readonly x: number;
  readonly width: number;
}

/** What a node's width stands for. Between the sides it is the mean of both, so that frames of one side stay visible. */
export function weight(tree: Tree, node: number, mode: Mode): number {
  const [before, after] = [tree.baseline[node] as number, tree.candidate[node] as number];
  return mode === "baseline" ? before : mode === "candidate" ? after : (before + after) / 2;
}

/**
 * Boxes of everything at least `narrowest` wide: the callers of `zoom` and itself across the whole width, and below it
 * what it calls.
 */
export function layOut(tree: Tree, zoom: number, mode: Mode, narrowest: number): Box[] {
  const path = pathTo(tree, zoom);
  const boxes: Box[] = path.map((node, row) => ({ node, row, x: 0, width: 1 }));
  const whole = weight(tree, zoom, mode);
  if (!(whole > 0)) return boxes;
  const open = [{ node: zoom, row: path.length - 1, x: 0 }];
  for (let box = open.pop(); box !== undefined; box = open.pop()) {
    let x = box.x;
    const [begin, end] = [tree.first[box.node] as number, tree.first[box.node + 1] as number];
    for (let place = begin; place < end; place += 1) {
      const node = tree.children[place] as number;
      const width = weight(tree, node, mode) / whole;
      if (width >= narrowest) {
        boxes.push({ node, row: box.row + 1, x, width });
        open.push({ node, row: box.row + 1, x });
      }
      x += width;
    }
  }
  return boxes;
}

/** Rows that the tallest stack below `zoom` takes, its callers included. */
export function rowsOf(boxes: readonly Box[]): number {
  return boxes.reduce((most, box) => Math.max(most, box.row + 1), 1);
}
