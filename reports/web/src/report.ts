// Brings the page to life: what a reader chooses goes to the curves, the tables and the URL's fragment.

import { CurvePlot } from "./curves";
import { embeddedCurves } from "./data";
import { formatView, isView, parseView, type View } from "./fragment";
import { FrameTable } from "./frames";
import { showUnchanged } from "./metrics";

function element<T extends HTMLElement>(id: string, kind: { new (): T }): T | null {
  const found = document.getElementById(id);
  return found instanceof kind ? found : null;
}

function curvePlot(): CurvePlot | null {
  const [place, output, data] = [element("plot", HTMLElement), element("readout", HTMLElement), embeddedCurves(document)];
  return place && output && data ? new CurvePlot(place, output, data) : null;
}

function frameTable(): FrameTable | null {
  const [table, count] = [element("frames-table", HTMLTableElement), element("frame-count", HTMLElement)];
  const first = Number(element("frames", HTMLElement)?.dataset["first"]);
  return table && count ? new FrameTable(table, count, first) : null;
}

function start(): void {
  for (const control of document.querySelectorAll<HTMLElement>(".needs-script")) control.hidden = false;
  const [plot, frames] = [curvePlot(), frameTable()];
  const metrics = element("metrics-table", HTMLTableElement);
  const endpoint = element("endpoint", HTMLSelectElement);
  const search = element("frame-search", HTMLInputElement);
  const unchanged = element("show-unchanged", HTMLInputElement);

  const apply = (view: View): void => {
    const drawn = plot?.show(view.endpoint) ?? "";
    if (endpoint) endpoint.value = drawn;
    if (search && search.value !== view.frames) search.value = view.frames;
    frames?.search(view.frames);
    if (unchanged) unchanged.checked = view.unchanged;
    if (metrics) showUnchanged(metrics, view.unchanged);
  };
  const chosen = (): void => {
    const view = parseView(location.hash);
    const now: View = {
      endpoint: endpoint && endpoint.selectedIndex > 0 ? endpoint.value : "",
      frames: search?.value ?? "",
      unchanged: unchanged?.checked ?? false,
    };
    history.replaceState(null, "", `#${formatView(now)}`);
    if (plot && endpoint && (view.endpoint || "") !== now.endpoint) plot.show(now.endpoint);
    frames?.search(now.frames);
    if (metrics) showUnchanged(metrics, now.unchanged);
  };

  endpoint?.addEventListener("change", chosen);
  search?.addEventListener("input", chosen);
  unchanged?.addEventListener("change", chosen);
  window.addEventListener("hashchange", () => {
    if (isView(location.hash)) apply(parseView(location.hash));
  });
  apply(parseView(location.hash));
}

start();
