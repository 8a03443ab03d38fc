// Draws the percentile curves of one endpoint with uPlot.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { CurveData, EndpointCurves, Side } from "./data";
import { curvesOf, readout, stretched, type Curve } from "./series";

const HEIGHT = 330;
const LABELLED = [50, 75, 90, 95, 99, 99.9];

interface Colours {
  readonly baseline: string;
  readonly candidate: string;
  readonly text: string;
  readonly line: string;
}

/** Shows one endpoint at a time in `place`; follows the window's width and the colour scheme. */
export class CurvePlot {
  private plot: uPlot | null = null;
  private shown: EndpointCurves | null = null;

  constructor(
    private readonly place: HTMLElement,
    private readonly output: HTMLElement,
    private readonly data: CurveData,
  ) {
    new ResizeObserver(() => this.plot?.setSize(this.size())).observe(place);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  /** Draw `endpoint`, or the busiest where there is none of that name. Returns the name drawn. */
  show(endpoint: string): string {
    this.shown = this.data.curves.find((curves) => curves.endpoint === endpoint) ?? this.data.curves[0] ?? null;
    this.draw();
    return this.shown?.endpoint ?? "";
  }

  private draw(): void {
    this.plot?.destroy();
    this.output.textContent = "";
    if (this.shown === null) return;
    const curves = curvesOf(this.shown, this.data);
    const columns: uPlot.AlignedData = [
      this.data.pooled_grid.map(stretched),
      ...curves.map((curve) => curve.values.slice()),
    ];
    this.plot = new uPlot(this.options(curves), columns, this.place);
  }

  private options(curves: readonly Curve[]): uPlot.Options {
    const colours = this.colours();
    const axis = { stroke: colours.text, grid: { stroke: colours.line, width: 1 }, ticks: { show: false } };
    return {
      ...this.size(),
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { show: false } },
      scales: { x: { time: false }, y: { range: (_plot, _low, high) => [0, high * 1.05] } },
      axes: [
        {
          ...axis,
          splits: () => LABELLED.map(stretched),
          values: () => LABELLED.map((percentile) => `p${percentile}`),
        },
        { ...axis, size: 64, values: (_plot, splits) => splits.map((value) => `${value} ms`) },
      ],
      series: [{}, ...curves.map((curve) => line(curve, colours))],
      hooks: { setCursor: [(plot) => this.tell(plot.cursor.idx)] },
    };
  }

  private tell(index: number | null | undefined): void {
    const known = this.shown !== null && index !== null && index !== undefined;
    this.output.textContent = known ? readout(this.shown as EndpointCurves, this.data, index as number) : "";
  }

  private size(): { width: number; height: number } {
    return { width: Math.max(280, this.place.clientWidth), height: HEIGHT };
  }

  private colours(): Colours {
    const style = getComputedStyle(document.documentElement);
    const named = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    return { baseline: named("baseline"), candidate: named("candidate"), text: named("muted"), line: named("faint") };
  }
}

function line(curve: Curve, colours: Colours): uPlot.Series {
  const colour = colours[curve.side satisfies Side];
  const common = { spanGaps: true, points: { show: false } };
  if (curve.kind === "window") return { ...common, stroke: colour, width: 1, alpha: 0.24 };
  if (curve.kind === "server") return { ...common, stroke: colour, width: 1.5, dash: [1.5, 4] };
  return { ...common, stroke: colour, width: 2.75, ...(curve.side === "baseline" ? { dash: [7, 4] } : {}) };
}
