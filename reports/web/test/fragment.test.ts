import { describe, expect, it } from "vitest";
import { FIRST_VIEW } from "../src/flame/view";
import { formatView, isView, parseView } from "../src/fragment";

const NOTHING = { endpoint: "", frames: "", flame: FIRST_VIEW };

describe("the view in the URL's fragment", () => {
  it("comes back as it was written, whatever is in it", () => {
    const flame = { ...FIRST_VIEW, event: "wall", pool: "http & co", mode: "candidate" as const, zoom: "0.3.1" };
    const view = { endpoint: "GET /orders?a=1&b=2", frames: "</script> #x%20", flame };
    expect(parseView(`#${formatView(view)}`)).toEqual(view);
  });

  it("is empty when nothing was chosen", () => {
    expect(formatView(NOTHING)).toBe("");
    expect(parseView("")).toEqual(NOTHING);
  });

  it("survives a fragment nobody wrote", () => {
    expect(parseView("#%E0%A4%A&nobody=yes")).toEqual(NOTHING);
  });

  it("is told from the name of a section", () => {
    expect(isView("#curves")).toBe(false);
    expect(isView("#frames=Json")).toBe(true);
    expect(isView("")).toBe(true);
  });
});
