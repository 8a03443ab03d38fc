import { describe, expect, it } from "vitest";
import { colourOf, kindOf } from "../src/flame/colour";
import { decode, unpack, type Flame } from "../src/flame/data";
import { layOut } from "../src/flame/layout";
import { search } from "../src/flame/search";
import { addressOf, calleesOf, callersOf, chosenTree, mostChanged, nodeAt, type Tree } from "../src/flame/tree";
import { FIRST_VIEW, untouched } from "../src/flame/view";
import { certain, describe as words, shortened } from "../src/flame/words";

const NAMES = ["a.Run", "a.List", "a.Get", "j.Write"];
// Two pools. http runs List (own cost 1 on either side) with Write (2, then 4) below it, and Get (2 and 2); mail runs
// Write (1, gone on the candidate). Parents are written as distances: -1 -1 0 1 2 2 4.
const COLUMNS = {
  names: NAMES,
  own: [0, 1, 2],
  facets: [
    ["http", "GET /a", ""],
    ["mail", "", ""],
  ] as [string, string, string][],
  parent: [0, 0, 1, 1, 1, 0, 2],
  frame: [0, 1, 0, 3, 1, 2, 3],
  baseline: [0, 0, 0, 100, 100, 200, 200],
  candidate: [0, 0, 0, 0, 100, 200, 400],
  error: [10, 10, 10, 10, 10, 10, -1],
};
const ROW = { event: "cpu", quantum: 0.01, beyond: 2, data: "" };

function flame(): Flame {
  return unpack(ROW, COLUMNS);
}

function whole(): Tree {
  return chosenTree(flame(), () => true);
}

function node(tree: Tree, ...path: string[]): number {
  let at = 0;
  for (const name of path) {
    const children = [...tree.children.subarray(tree.first[at], tree.first[at + 1])];
    at = children.find((child) => tree.names[tree.frame[child] as number] === name) ?? -1;
  }
  return at;
}

async function packed(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"));
  return btoa(String.fromCharCode(...new Uint8Array(await new Response(stream).arrayBuffer())));
}

describe("packed columns", () => {
  it("come back as a tree", async () => {
    const found = await decode({ ...ROW, data: await packed(JSON.stringify(COLUMNS)) });
    expect([...found.parent]).toEqual([-1, -1, 0, 1, 2, 2, 4]);
    expect(found.candidate[6]).toBe(4);
    expect([...found.margin.subarray(5)]).toEqual([0.2, Infinity]);
  });

  it("are refused when they are no tree", () => {
    expect(() => unpack(ROW, { ...COLUMNS, parent: [0, 0, 1, 1, 1, 9, 2] })).toThrow("before its caller");
    expect(() => unpack(ROW, { ...COLUMNS, frame: [0, 1, 0, 3, 1, 2, 99] })).toThrow("not there");
    expect(() => unpack(ROW, { ...COLUMNS, frame: [0, 1] })).toThrow("length");
  });
});

describe("a tree", () => {
  it("adds up what is below, over all pools", () => {
    const tree = whole();
    expect(tree.baseline[0]).toBeCloseTo(6);
    expect(tree.candidate[0]).toBeCloseTo(7);
    const list = node(tree, "a.Run", "a.List");
    expect(tree.baseline[list]).toBeCloseTo(3);
    expect(tree.ownBaseline[list]).toBeCloseTo(1);
  });

  it("holds only what was chosen", () => {
    const tree = chosenTree(flame(), (facet) => facet.pool === "mail");
    expect(tree.baseline[0]).toBeCloseTo(1);
    expect(tree.candidate[0]).toBe(0);
    expect(node(tree, "a.Run")).toBe(-1);
  });

  it("puts costly children first, and finds nodes by their address", () => {
    const tree = whole();
    const list = node(tree, "a.Run", "a.List");
    expect(addressOf(tree, list)).toBe("0.0");
    expect(nodeAt(tree, "0.0")).toBe(list);
    expect(nodeAt(tree, "0.7.1")).toBe(node(tree, "a.Run"));
    expect(nodeAt(tree, "junk")).toBe(0);
  });

  it("finds where a frame changed most, and the root for one that is not there", () => {
    const tree = whole();
    expect(mostChanged(tree, "j.Write")).toBe(node(tree, "a.Run", "a.List", "j.Write"));
    expect(mostChanged(tree, "gone.Away")).toBe(0);
    expect(mostChanged(tree, "")).toBe(0);
  });

  it("takes the outermost of a frame's equal places", () => {
    const columns = {
      ...COLUMNS,
      parent: [0, 1, 1, 1],
      frame: [0, 0, 1, 1],
      baseline: [0, 0, 0, 0],
      candidate: [0, 0, 0, 5],
      error: [0, 0, 0, 0],
    };
    const tree = chosenTree(unpack(ROW, columns), () => true);
    expect(mostChanged(tree, "a.List")).toBe(node(tree, "a.Run", "a.List"));
  });

  it("shows a frame's callees and callers over all its places", () => {
    const tree = whole();
    const callees = calleesOf(tree, 0);
    expect(callees.candidate[0]).toBeCloseTo(7);
    const callers = callersOf(tree, 3);
    expect(callers.baseline[0]).toBeCloseTo(3);
    expect(callers.candidate[0]).toBeCloseTo(4);
    expect(callers.baseline[node(callers, "a.List", "a.Run")]).toBeCloseTo(2);
    expect(callers.ownBaseline[0]).toBeCloseTo(1); // called by nobody in the mail pool
  });

  it("counts a frame that calls itself once", () => {
    const columns = {
      ...COLUMNS,
      parent: [0, 1, 1],
      frame: [0, 0, 0],
      baseline: [0, 1, 2],
      candidate: [0, 1, 2],
      error: [0, 0, 0],
    };
    const tree = chosenTree(unpack({ ...ROW, quantum: 1 }, columns), () => true);
    expect(callersOf(tree, 0).baseline[0]).toBe(3);
    expect(calleesOf(tree, 0).baseline[0]).toBe(3);
  });
});

describe("the layout", () => {
  it("is as wide as the mean of both sides where they are compared, so that what is gone stays", () => {
    const tree = whole();
    const gone = node(tree, "j.Write");
    const box = layOut(tree, 0, "diff", 0).find((each) => each.node === gone);
    expect(box?.width).toBeCloseTo(0.5 / 6.5);
    expect(layOut(tree, 0, "candidate", 1e-9).some((each) => each.node === gone)).toBe(false);
  });

  it("keeps the callers of what was zoomed into across the whole width", () => {
    const tree = whole();
    const list = node(tree, "a.Run", "a.List");
    const boxes = layOut(tree, list, "baseline", 0);
    expect(boxes.slice(0, 3).map((box) => [box.row, box.width])).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
    ]);
    expect(boxes.some((box) => box.node === node(tree, "a.Run", "a.Get"))).toBe(false);
  });

  it("leaves out what is too narrow", () => {
    expect(layOut(whole(), 0, "baseline", 0.4).every((box) => box.width >= 0.4)).toBe(true);
  });
});

describe("a search", () => {
  it("lights what matches with everything above and below, and adds up both sides", () => {
    const tree = whole();
    const found = search(tree, "WRITE j");
    expect(found?.frames).toBe(1);
    expect(found?.baseline).toBeCloseTo(3);
    expect(found?.candidate).toBeCloseTo(4);
    expect(found?.lit[node(tree, "a.Run", "a.List")]).toBe(1);
    expect(search(tree, "  ")).toBeNull();
    expect(search(tree, "nothing")?.frames).toBe(0);
  });
});

describe("a view", () => {
  it("is untouched until something is chosen", () => {
    expect(untouched({ ...FIRST_VIEW })).toBe(true);
    expect(untouched({ ...FIRST_VIEW, zoom: "0" })).toBe(false);
    expect(untouched({ ...FIRST_VIEW, mode: "candidate" })).toBe(false);
  });
});

describe("words and colours", () => {
  it("name a method by its class, and a native function by itself", () => {
    expect(shortened("org.apache.coyote.Http11Processor.service")).toBe("Http11Processor.service");
    expect(shortened("libc.so.6.clone3")).toBe("clone3");
    expect(shortened("libjvm.so.Thread::call_run")).toBe("Thread::call_run");
    expect(shortened("[unknown]")).toBe("[unknown]");
  });

  it("say when a change is noise", () => {
    const tree = whole();
    const get = node(tree, "a.Run", "a.Get");
    expect(certain(tree, get)).toBe(0);
    expect(words(tree, get, "cpu").join()).toContain("within noise");
    expect(colourOf(tree, get, "diff", false)).toContain("14%");
  });

  it("say what is gone", () => {
    const tree = chosenTree(flame(), (facet) => facet.pool === "mail");
    expect(words(tree, node(tree, "j.Write"), "cpu")).toContain("gone from the candidate");
    expect(certain(tree, node(tree, "j.Write"))).toBe(-1);
  });

  it("tell kinds of code apart", () => {
    expect(kindOf("shop.Orders.list", true)).toBe("application");
    expect(kindOf("java.util.HashMap.get", false)).toBe("jdk");
    expect(kindOf("org.h2.Engine.run", false)).toBe("library");
    expect(kindOf("libjvm.so.G1CollectedHeap::collect", false)).toBe("native");
    expect(kindOf("[truncated]", false)).toBe("note");
  });
});
