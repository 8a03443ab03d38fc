// Hides the metrics that say nothing new, until somebody asks for them.

export interface MetricState {
  readonly verdict: string;
  readonly gated: boolean;
}

/** Whether a metric is shown: everything gated or changed always is. */
export function isShown(metric: MetricState, unchanged: boolean): boolean {
  return unchanged || metric.gated || metric.verdict !== "unchanged";
}

export function showUnchanged(table: HTMLTableElement, unchanged: boolean): void {
  for (const row of table.tBodies[0]?.rows ?? []) {
    const metric = { verdict: row.dataset["verdict"] ?? "", gated: row.dataset["gated"] === "true" };
    row.hidden = !isShown(metric, unchanged);
  }
}
