// What a reader has chosen of the flame graph.

import type { Mode } from "./layout";

/** What is shown, as the URL's fragment keeps it. Empty: everything, or the first there is. */
export interface FlameView {
  readonly event: string;
  readonly pool: string;
  readonly serves: string;
  readonly state: string;
  readonly mode: Mode;
  readonly find: string;
  readonly zoom: string;
  /** The frame whose callers and callees are shown; "" for the whole tree. */
  readonly sandwich: string;
}

export const FIRST_VIEW: FlameView = {
  event: "",
  pool: "",
  serves: "",
  state: "",
  mode: "diff",
  find: "",
  zoom: "",
  sandwich: "",
};

/** Whether a reader has chosen nothing, by hand or by a link. */
export function untouched(view: FlameView): boolean {
  return (Object.keys(FIRST_VIEW) as (keyof FlameView)[]).every((field) => view[field] === FIRST_VIEW[field]);
}
