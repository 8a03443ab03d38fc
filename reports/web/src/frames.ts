// Searches and sorts the tables of frames. The rows are in the page already; nothing is written into it as markup.

export interface FrameText {
  readonly frame: string;
  readonly pools: string;
}

/** Whether every word of `search` occurs in the frame's name or its pools, whatever the case. */
export function matches(text: FrameText, search: string): boolean {
  const all = `${text.frame} ${text.pools}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** Which rows are shown: with a search all that match, without one the first few. */
export function shownRows(rows: readonly FrameText[], search: string, first: number): boolean[] {
  const sought = search.trim();
  return rows.map((row, index) => (sought ? matches(row, sought) : index < first));
}

/** One table of frames; its rows can be sorted by a click on a column's header. */
class FrameTable {
  private readonly rows: HTMLTableRowElement[];
  private readonly texts: FrameText[];
  private readonly folded: HTMLDetailsElement | null;
  private readonly first: number;

  constructor(private readonly table: HTMLTableElement) {
    this.rows = [...(table.tBodies[0]?.rows ?? [])];
    this.texts = this.rows.map((row) => ({
      frame: row.dataset["frame"] ?? "",
      pools: row.cells[row.cells.length - 1]?.textContent ?? "",
    }));
    this.folded = table.closest("details");
    this.first = Number(table.dataset["first"]);
    for (const header of table.querySelectorAll<HTMLTableCellElement>("th[data-sort]")) this.makeSortable(header);
  }

  get size(): number {
    return this.rows.length;
  }

  /** Shows the rows that match; a folded table in which some do is opened. Returns how many are shown. */
  search(text: string): number {
    const shown = shownRows(this.texts, text, this.first);
    this.rows.forEach((row, index) => {
      row.hidden = shown[index] === false;
    });
    const found = shown.filter(Boolean).length;
    if (text.trim() && found > 0 && this.folded) this.folded.open = true;
    return found;
  }

  private makeSortable(header: HTMLTableCellElement): void {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const direction = header.getAttribute("aria-sort") === "descending" ? "ascending" : "descending";
      for (const other of this.table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", direction);
      this.sort(header.cellIndex, header.dataset["sort"] === "number", direction === "ascending" ? 1 : -1);
    });
  }

  private sort(column: number, numeric: boolean, sign: 1 | -1): void {
    const compare = (a: HTMLTableRowElement, b: HTMLTableRowElement): number => {
      const [left, right] = [a.cells[column], b.cells[column]];
      const order = numeric
        ? Number(left?.dataset["value"]) - Number(right?.dataset["value"])
        : (left?.textContent ?? "").trim().localeCompare((right?.textContent ?? "").trim());
      return sign * order;
    };
    this.table.tBodies[0]?.append(...[...this.rows].sort(compare));
  }
}

/** The tables of all kinds of profiles, searched together. */
export class FrameTables {
  private readonly tables: FrameTable[];

  constructor(
    tables: Iterable<HTMLTableElement>,
    private readonly count: HTMLElement,
  ) {
    this.tables = [...tables].map((table) => new FrameTable(table));
  }

  search(text: string): void {
    const found = this.tables.reduce((sum, table) => sum + table.search(text), 0);
    const all = this.tables.reduce((sum, table) => sum + table.size, 0);
    this.count.textContent = text.trim() ? `${found} of ${all}` : "";
  }
}
