// Brings the page to life: what a reader chooses goes to the curves, the tables, the flame graph and the URL's fragment.

import { CurvePlot } from "./curves";
import { embeddedCurves } from "./data";
import { embeddedFlames } from "./flame/data";
import { FlamePanel } from "./flame/panel";
import type { FlameView } from "./flame/view";
import { formatView, isView, parseView, type View } from "./fragment";
import { FrameTables } from "./frames";

function element<T extends HTMLElement>(id: string, kind: { new (): T }): T | null {
  const found = document.getElementById(id);
  return found instanceof kind ? found : null;
}

function needed<T extends HTMLElement>(id: string, kind: { new (): T }): T {
  const found = element(id, kind);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found;
}

function curvePlot(): CurvePlot | null {
  const [place, output, data] = [
    element("plot", HTMLElement),
    element("readout", HTMLElement),
    embeddedCurves(document),
  ];
  return place && output && data ? new CurvePlot(place, output, data) : null;
}

function frameTables(): FrameTables | null {
  const [place, count] = [element("frames", HTMLElement), element("frame-count", HTMLElement)];
  if (!place || !count) return null;
  const tables = place.querySelectorAll<HTMLTableElement>("table.frames-table");
  return new FrameTables(tables, count);
}

function flamePanel(changed: (view: FlameView) => void): FlamePanel | null {
  const rows = embeddedFlames(document);
  if (rows === null || typeof DecompressionStream === "undefined") return null;
  const parts = {
    event: needed("flame-event", HTMLSelectElement),
    pool: needed("flame-pool", HTMLSelectElement),
    serves: needed("flame-serves", HTMLSelectElement),
    state: needed("flame-state", HTMLSelectElement),
    mode: needed("flame-mode", HTMLSelectElement),
    find: needed("flame-find", HTMLInputElement),
    count: needed("flame-count", HTMLElement),
    crumbs: needed("flame-crumbs", HTMLElement),
    words: needed("flame-words", HTMLElement),
    tip: needed("flame-tip", HTMLElement),
    callersTitle: needed("flame-callers-title", HTMLElement),
    legend: needed("flame-legend", HTMLElement),
  };
  const place = (name: string) => ({
    scroller: needed(`${name}-scroller`, HTMLElement),
    sizer: needed(`${name}-sizer`, HTMLElement),
    canvas: needed(`${name}-canvas`, HTMLCanvasElement),
  });
  return new FlamePanel(rows, parts, place("flame"), place("flame-callers"), changed);
}

function start(): void {
  for (const control of document.querySelectorAll<HTMLElement>(".needs-script")) control.hidden = false;
  let view = parseView(location.hash);
  const keep = (change: Partial<View>): void => {
    view = { ...view, ...change };
    history.replaceState(null, "", `#${formatView(view)}`);
  };
  const [plot, frames, flames] = [curvePlot(), frameTables(), flamePanel((flame) => keep({ flame }))];
  const endpoint = element("endpoint", HTMLSelectElement);
  const search = element("frame-search", HTMLInputElement);

  const apply = (): void => {
    const drawn = plot?.show(view.endpoint) ?? "";
    if (endpoint) endpoint.value = drawn;
    if (search && search.value !== view.frames) search.value = view.frames;
    frames?.search(view.frames);
    void flames?.show(view.flame);
  };

  endpoint?.addEventListener("change", () => {
    keep({ endpoint: endpoint.selectedIndex > 0 ? endpoint.value : "" });
    plot?.show(view.endpoint);
  });
  search?.addEventListener("input", () => {
    keep({ frames: search.value });
    frames?.search(view.frames);
  });
  window.addEventListener("hashchange", () => {
    if (!isView(location.hash)) return;
    view = parseView(location.hash);
    apply();
  });
  apply();
}

start();
