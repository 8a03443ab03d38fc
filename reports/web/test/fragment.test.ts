import { describe, expect, it } from "vitest";
import { formatView, isView, parseView } from "../src/fragment";

describe("the view in the URL's fragment", () => {
  it("comes back as it was written, whatever is in it", () => {
    const view = { endpoint: "GET /orders?a=1&b=2", frames: "</script> #x%20", unchanged: true };
    expect(parseView(`#${formatView(view)}`)).toEqual(view);
  });

  it("is empty when nothing was chosen", () => {
    expect(formatView({ endpoint: "", frames: "", unchanged: false })).toBe("");
    expect(parseView("")).toEqual({ endpoint: "", frames: "", unchanged: false });
  });

  it("survives a fragment nobody wrote", () => {
    expect(parseView("#%E0%A4%A&unchanged=yes")).toEqual({ endpoint: "", frames: "", unchanged: false });
  });

  it("is told from the name of a section", () => {
    expect(isView("#curves")).toBe(false);
    expect(isView("#frames=Json")).toBe(true);
    expect(isView("")).toBe(true);
  });
});
