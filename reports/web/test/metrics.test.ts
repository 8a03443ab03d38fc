import { describe, expect, it } from "vitest";
import { isShown } from "../src/metrics";

describe("which metrics are shown", () => {
  it("hides only what is unchanged and decides nothing", () => {
    expect(isShown({ verdict: "unchanged", gated: false }, false)).toBe(false);
    expect(isShown({ verdict: "unchanged", gated: true }, false)).toBe(true);
    expect(isShown({ verdict: "inconclusive", gated: false }, false)).toBe(true);
    expect(isShown({ verdict: "unchanged", gated: false }, true)).toBe(true);
  });
});
