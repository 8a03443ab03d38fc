// A tree as it is drawn: the stacks a reader has chosen, or the callers or callees of one frame, with totals.

import type { Facet, Flame } from "./data";

export interface Tree {
  readonly names: readonly string[];
  /** Of each name, 1 when it is the application's own code. */
  readonly own: Uint8Array;
  /** Position of the caller; -1 for the root, which is node 0. A caller comes before what it calls. */
  readonly parent: Int32Array;
  /** Into `names`; -1 for the root. */
  readonly frame: Int32Array;
  /** Cost per request with everything below. */
  readonly baseline: Float64Array;
  readonly candidate: Float64Array;
  readonly ownBaseline: Float64Array;
  readonly ownCandidate: Float64Array;
  /** Half of the 95 % interval of the change. */
  readonly margin: Float64Array;
  /** The children of node n are `children[first[n]]` to `children[first[n + 1] - 1]`, the costly ones first. */
  readonly first: Int32Array;
  readonly children: Int32Array;
}

export type Choice = (facet: Facet) => boolean;

/** The stacks of all chosen facets, merged where they are alike. */
export function chosenTree(flame: Flame, chosen: Choice): Tree {
  const builder = new Builder(flame);
  const place = new Int32Array(flame.parent.length).fill(-1);
  for (let node = 0; node < flame.parent.length; node += 1) {
    const parent = flame.parent[node] as number;
    const frame = flame.frame[node] as number;
    if (parent === -1) {
      if (chosen(flame.facets[frame] as Facet)) place[node] = 0;
    } else if ((place[parent] as number) >= 0) {
      place[node] = builder.child(place[parent] as number, frame);
    }
    const at = place[node] as number;
    if (at >= 0) {
      builder.add(at, flame.baseline[node] as number, flame.candidate[node] as number, flame.margin[node] as number);
    }
  }
  return builder.tree();
}

/** What `frame` calls, over all its places; places below another of its own are part of that one. */
export function calleesOf(tree: Tree, frame: number): Tree {
  const builder = new Builder(tree);
  const place = new Int32Array(tree.parent.length).fill(-1);
  for (let node = 0; node < tree.parent.length; node += 1) {
    const above = tree.parent[node] as number;
    const within = above < 0 ? -1 : (place[above] as number);
    if (within >= 0) place[node] = builder.child(within, tree.frame[node] as number);
    else if (tree.frame[node] === frame) place[node] = 0;
    const at = place[node] as number;
    if (at >= 0) {
      builder.add(at, tree.ownBaseline[node] as number, tree.ownCandidate[node] as number, tree.margin[node] as number);
    }
  }
  return builder.tree();
}

/** Who calls `frame`: a tree upside down, with the cost that each way of calling it brings. */
export function callersOf(tree: Tree, frame: number): Tree {
  const builder = new Builder(tree);
  const inside = new Uint8Array(tree.parent.length);
  for (let node = 0; node < tree.parent.length; node += 1) {
    const above = tree.parent[node] as number;
    if (above >= 0) inside[node] = inside[above] === 1 || tree.frame[above] === frame ? 1 : 0;
    if (tree.frame[node] !== frame || inside[node] === 1) continue;
    let at = 0;
    for (let caller = above; caller > 0; caller = tree.parent[caller] as number) {
      at = builder.child(at, tree.frame[caller] as number);
    }
    builder.add(at, tree.baseline[node] as number, tree.candidate[node] as number, 0);
    builder.widen(at, tree.margin[node] as number);
  }
  return builder.tree();
}

/** The nodes from the root to `node`, both included. */
export function pathTo(tree: Tree, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at >= 0; at = tree.parent[at] as number) path.push(at);
  return path.reverse();
}

/** Children's places along the path to `node`, so that a link can name it: "0.3.1"; "" for the root. */
export function addressOf(tree: Tree, node: number): string {
  return pathTo(tree, node)
    .slice(1)
    .map((at) => {
      const begin = tree.first[tree.parent[at] as number] as number;
      return tree.children.indexOf(at, begin) - begin;
    })
    .join(".");
}

/** The node with this address, or as far as the address leads. */
export function nodeAt(tree: Tree, address: string): number {
  let node = 0;
  for (const step of address ? address.split(".") : []) {
    const begin = tree.first[node] as number;
    const place = Number(step);
    if (!Number.isInteger(place) || place < 0 || begin + place >= (tree.first[node + 1] as number)) break;
    node = tree.children[begin + place] as number;
  }
  return node;
}

/** Of all places of the frame `name` the one that changed most, outermost of equals; the root where there is none. */
export function mostChanged(tree: Tree, name: string): number {
  const moved = (node: number): number => Math.abs((tree.candidate[node] as number) - (tree.baseline[node] as number));
  let most = 0;
  for (let node = 1; node < tree.parent.length; node += 1) {
    if (tree.names[tree.frame[node] as number] !== name) continue;
    if (most === 0 || moved(node) > moved(most)) most = node;
  }
  return most;
}

class Builder {
  private readonly parent = [-1];
  private readonly frame = [-1];
  private readonly own: [number[], number[]] = [[0], [0]];
  private readonly variance = [0];
  private readonly known = new Map<number, number>();

  constructor(private readonly names: Pick<Tree, "names" | "own">) {}

  child(parent: number, frame: number): number {
    const key = parent * (this.names.names.length + 1) + frame;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const node = this.parent.length;
    this.known.set(key, node);
    this.parent.push(parent);
    this.frame.push(frame);
    this.own[0].push(0);
    this.own[1].push(0);
    this.variance.push(0);
    return node;
  }

  /** Margins of what is merged add up as those of independent changes do. */
  add(node: number, baseline: number, candidate: number, margin: number): void {
    (this.own[0][node] as number) += baseline;
    (this.own[1][node] as number) += candidate;
    (this.variance[node] as number) += margin * margin;
  }

  /** A margin that belongs to `node` and to everything above it. */
  widen(node: number, margin: number): void {
    for (let at = node; at >= 0; at = this.parent[at] as number) (this.variance[at] as number) += margin * margin;
  }

  tree(): Tree {
    const count = this.parent.length;
    const parent = Int32Array.from(this.parent);
    const totals = this.own.map((own) => {
      const total = Float64Array.from(own);
      for (let node = count - 1; node > 0; node -= 1) {
        const above = parent[node] as number;
        total[above] = (total[above] as number) + (total[node] as number);
      }
      return total;
    });
    const [baseline, candidate] = totals as [Float64Array, Float64Array];
    return {
      names: this.names.names,
      own: this.names.own,
      parent,
      frame: Int32Array.from(this.frame),
      baseline,
      candidate,
      ownBaseline: Float64Array.from(this.own[0]),
      ownCandidate: Float64Array.from(this.own[1]),
      margin: Float64Array.from(this.variance, Math.sqrt),
      ...ordered(parent, baseline, candidate),
    };
  }
}

/** Children of each node, costly ones first whatever the side shown, so that they keep their places. */
function ordered(
  parent: Int32Array,
  baseline: Float64Array,
  candidate: Float64Array,
): { first: Int32Array; children: Int32Array } {
  const count = parent.length;
  const first = new Int32Array(count + 1);
  for (let node = 1; node < count; node += 1)
    first[(parent[node] as number) + 1] = (first[(parent[node] as number) + 1] as number) + 1;
  for (let node = 0; node < count; node += 1) first[node + 1] = (first[node + 1] as number) + (first[node] as number);
  const next = first.slice();
  const children = new Int32Array(Math.max(0, count - 1));
  for (let node = 1; node < count; node += 1) {
    const above = parent[node] as number;
    children[next[above] as number] = node;
    next[above] = (next[above] as number) + 1;
  }
  const cost = (node: number): number => (baseline[node] as number) + (candidate[node] as number);
  for (let node = 0; node < count; node += 1) {
    const [begin, end] = [first[node] as number, first[node + 1] as number];
    if (end - begin > 1) children.subarray(begin, end).sort((a, b) => cost(b) - cost(a) || a - b);
  }
  return { first, children };
}
