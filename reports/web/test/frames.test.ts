import { describe, expect, it } from "vitest";
import { matches, shownRows } from "../src/frames";

const ROWS = [
  { frame: "com.example.JacksonEncoder.write", pools: "http-worker" },
  { frame: "com.example.PriceCache.lookup", pools: "http-worker" },
  { frame: "java.util.concurrent.ForkJoinPool.scan", pools: "ForkJoinPool.commonPool" },
];

describe("the search of frames", () => {
  it("finds words in any order and case, in names and pools", () => {
    expect(matches(ROWS[0]!, "WRITE jackson")).toBe(true);
    expect(matches(ROWS[0]!, "http lookup")).toBe(false);
    expect(matches(ROWS[2]!, "commonpool")).toBe(true);
  });

  it("takes signs of regular expressions for what they are", () => {
    expect(matches(ROWS[0]!, ".*")).toBe(false);
  });

  it("shows the first few without a search, all that match with one", () => {
    expect(shownRows(ROWS, "  ", 2)).toEqual([true, true, false]);
    expect(shownRows(ROWS, "scan", 2)).toEqual([false, false, true]);
  });
});
