// From curves to the columns a plot takes: one shared x column, one y column per curve.

import type { CurveData, EndpointCurves, Side } from "./data";

export type Kind = "pooled" | "window" | "server";

export interface Curve {
  readonly side: Side;
  readonly kind: Kind;
  readonly values: readonly (number | null)[];
}

/** Stretches the tail: 0 at p0, 1 at p90, 2 at p99, 3 at p99.9. */
export function stretched(percentile: number): number {
  return -Math.log10(1 - percentile / 100);
}

/** The curves of one endpoint, faint ones first so that the bold ones lie on top. */
export function curvesOf(endpoint: EndpointCurves, data: CurveData): Curve[] {
  const windows = endpoint.sides.flatMap((side) =>
    side.windows.map(
      (window): Curve => ({
        side: side.side,
        kind: "window",
        values: onGrid(window.values, data.window_grid, data.pooled_grid),
      }),
    ),
  );
  const server = endpoint.sides
    .filter((side) => side.server.length > 0)
    .map((side): Curve => ({ side: side.side, kind: "server", values: side.server }));
  const pooled = endpoint.sides.map((side): Curve => ({ side: side.side, kind: "pooled", values: side.pooled }));
  return [...windows, ...server, ...pooled];
}

/** `values` of the coarser grid `from`, placed on the finer grid `to`; null where `from` has no such percentile. */
export function onGrid(
  values: readonly (number | null)[],
  from: readonly number[],
  to: readonly number[],
): (number | null)[] {
  const byPercentile = new Map(from.map((percentile, index) => [percentile, values[index] ?? null]));
  return to.map((percentile) => byPercentile.get(percentile) ?? null);
}

/** What the pooled curves say at one place of the grid: "p99   baseline 18.3 ms   candidate 20.6 ms". */
export function readout(endpoint: EndpointCurves, data: CurveData, index: number): string {
  const percentile = data.pooled_grid[index];
  if (percentile === undefined) return "";
  const sides = endpoint.sides.map((side) => {
    const value = side.pooled[index];
    return `${side.side} ${value === null || value === undefined ? "–" : `${value.toPrecision(3)} ms`}`;
  });
  return [`p${percentile}`, ...sides].join("   ");
}
