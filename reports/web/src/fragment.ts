// What a reader has chosen, kept in the URL's fragment so that a link shows the same view.

import type { Mode } from "./flame/layout";
import { FIRST_VIEW, type FlameView } from "./flame/view";

export interface View {
  readonly endpoint: string;
  readonly frames: string;
  readonly flame: FlameView;
}

const MODES: readonly Mode[] = ["baseline", "candidate", "diff"];
/** Field of the flame graph's view -> its name in the fragment. */
const FLAME: readonly (readonly [Exclude<keyof FlameView, "mode">, string])[] = [
  ["event", "profile"],
  ["pool", "pool"],
  ["serves", "serves"],
  ["state", "state"],
  ["find", "find"],
  ["zoom", "zoom"],
  ["sandwich", "around"],
];

export function parseView(fragment: string): View {
  const chosen = new URLSearchParams(fragment.replace(/^#/, ""));
  const mode = MODES.find((each) => each === chosen.get("show")) ?? FIRST_VIEW.mode;
  const flame = Object.fromEntries(FLAME.map(([field, name]) => [field, chosen.get(name) ?? ""]));
  return {
    endpoint: chosen.get("endpoint") ?? "",
    frames: chosen.get("frames") ?? "",
    flame: { ...FIRST_VIEW, ...flame, mode },
  };
}

/** The fragment without its "#"; empty when nothing was chosen. */
export function formatView(view: View): string {
  const chosen = new URLSearchParams();
  if (view.endpoint) chosen.set("endpoint", view.endpoint);
  if (view.frames) chosen.set("frames", view.frames);
  if (view.flame.mode !== FIRST_VIEW.mode) chosen.set("show", view.flame.mode);
  for (const [field, name] of FLAME) if (view.flame[field]) chosen.set(name, view.flame[field]);
  return chosen.toString();
}

/** Whether a fragment holds a view, and not the name of a section. */
export function isView(fragment: string): boolean {
  return fragment.length <= 1 || fragment.includes("=");
}
