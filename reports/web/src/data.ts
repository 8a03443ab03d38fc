// The part of the profiles that the page embeds, with the names of `profiles.schema.json`.

export type Side = "baseline" | "candidate";

export interface WindowCurve {
  readonly pair: number;
  readonly window: number;
  readonly values: readonly (number | null)[];
}

export interface SideCurves {
  readonly side: Side;
  readonly requests: number;
  readonly pooled: readonly (number | null)[];
  readonly windows: readonly WindowCurve[];
  readonly server: readonly (number | null)[];
}

export interface EndpointCurves {
  readonly endpoint: string;
  readonly sides: readonly SideCurves[];
}

export interface CurveData {
  readonly pooled_grid: readonly number[];
  readonly window_grid: readonly number[];
  readonly curves: readonly EndpointCurves[];
}

/** The data embedded in the page, or null when it holds none. */
export function embeddedCurves(page: Document): CurveData | null {
  const text = page.getElementById("curves-data")?.textContent;
  return text ? (JSON.parse(text) as CurveData) : null;
}
