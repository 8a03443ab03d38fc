// What a reader has chosen, kept in the URL's fragment so that a link shows the same view.

export interface View {
  readonly endpoint: string;
  readonly frames: string;
  readonly unchanged: boolean;
}

const NOTHING_CHOSEN: View = { endpoint: "", frames: "", unchanged: false };

export function parseView(fragment: string): View {
  const chosen = new URLSearchParams(fragment.replace(/^#/, ""));
  return {
    endpoint: chosen.get("endpoint") ?? NOTHING_CHOSEN.endpoint,
    frames: chosen.get("frames") ?? NOTHING_CHOSEN.frames,
    unchanged: chosen.get("unchanged") === "1",
  };
}

/** The fragment without its "#"; empty when nothing was chosen. */
export function formatView(view: View): string {
  const chosen = new URLSearchParams();
  if (view.endpoint) chosen.set("endpoint", view.endpoint);
  if (view.frames) chosen.set("frames", view.frames);
  if (view.unchanged) chosen.set("unchanged", "1");
  return chosen.toString();
}

/** Whether a fragment holds a view, and not the name of a section. */
export function isView(fragment: string): boolean {
  return fragment.length <= 1 || fragment.includes("=");
}
