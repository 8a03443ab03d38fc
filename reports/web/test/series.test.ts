import { describe, expect, it } from "vitest";
import type { CurveData } from "../src/data";
import { curvesOf, onGrid, readout, stretched } from "../src/series";

const DATA: CurveData = {
  pooled_grid: [50, 90, 99],
  window_grid: [50, 99],
  curves: [
    {
      endpoint: "GET /orders",
      sides: [
        {
          side: "baseline",
          requests: 900,
          pooled: [6, 9, 17],
          windows: [{ pair: 1, window: 0, values: [5, 16] }],
          server: [],
        },
        { side: "candidate", requests: 900, pooled: [7, 10, null], windows: [], server: [5, 8, 15] },
      ],
    },
  ],
};
const ENDPOINT = DATA.curves[0]!;

describe("percentile curves", () => {
  it("stretch the tail evenly", () => {
    expect([0, 90, 99].map(stretched)).toEqual([0, 1, 2].map((x) => expect.closeTo(x, 9)));
  });

  it("put a window's coarser grid onto the pooled one", () => {
    expect(onGrid([5, 16], DATA.window_grid, DATA.pooled_grid)).toEqual([5, null, 16]);
    expect(onGrid([5], DATA.window_grid, DATA.pooled_grid)).toEqual([5, null, null]);
  });

  it("draw windows first and the pool last, so that the pool lies on top", () => {
    expect(curvesOf(ENDPOINT, DATA).map((curve) => `${curve.kind} ${curve.side}`)).toEqual([
      "window baseline",
      "server candidate",
      "pooled baseline",
      "pooled candidate",
    ]);
  });

  it("say what lies under the pointer, and that something is not known", () => {
    expect(readout(ENDPOINT, DATA, 1)).toBe("p90   baseline 9.00 ms   candidate 10.0 ms");
    expect(readout(ENDPOINT, DATA, 2)).toBe("p99   baseline 17.0 ms   candidate –");
    expect(readout(ENDPOINT, DATA, 7)).toBe("");
  });
});
