// Draws a tree on a canvas and tells which frame a pointer or a key has reached.

import { colourOf } from "./colour";
import { layOut, rowsOf, type Box, type Mode } from "./layout";
import type { Tree } from "./tree";
import { nameOf, shortened } from "./words";

const ROW = 19;
const GAP = 1;
/** Narrower frames are not drawn; in pixels. */
const NARROWEST = 0.6;
/** Narrower frames have no name on them. */
const NAMED = 28;
/** Callers that stay in sight above a frame that is brought to the top. */
const CALLERS = 3;
const PADDING = 5;
const FONT = "12px ui-sans-serif, system-ui, sans-serif";

export interface Painting {
  readonly tree: Tree;
  readonly mode: Mode;
  readonly zoom: number;
  readonly selected: number;
  /** Nodes found by a search; null without one. */
  readonly found: Uint8Array | null;
}

export interface Listener {
  /** The pointer is over this node, or over none (-1). */
  over(node: number, event: MouseEvent): void;
  chosen(node: number): void;
}

/** `upwards` draws the root at the bottom, as callers are. The canvas shows a window of a taller scroller. */
export class FlameCanvas {
  private painting: Painting | null = null;
  private boxes: Box[] = [];
  private rows: Map<number, Box[]> = new Map();
  private readonly context: CanvasRenderingContext2D;
  private waiting = false;

  constructor(
    private readonly scroller: HTMLElement,
    private readonly sizer: HTMLElement,
    readonly canvas: HTMLCanvasElement,
    private readonly upwards: boolean,
    listener: Listener,
  ) {
    this.context = canvas.getContext("2d") as CanvasRenderingContext2D;
    new ResizeObserver(() => this.layOut()).observe(scroller);
    scroller.addEventListener("scroll", () => this.drawSoon());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.drawSoon());
    canvas.addEventListener("mousemove", (event) => listener.over(this.at(event)?.node ?? -1, event));
    canvas.addEventListener("mouseleave", (event) => listener.over(-1, event));
    canvas.addEventListener("click", (event) => {
      const box = this.at(event);
      if (box) listener.chosen(box.node);
    });
  }

  show(painting: Painting): void {
    this.painting = painting;
    this.layOut();
  }

  /** Scroll so that `node` is seen, if it is drawn at all. */
  reveal(node: number): void {
    const box = this.boxes.find((each) => each.node === node);
    if (!box) return;
    const top = this.top(box.row);
    const { scrollTop, clientHeight } = this.scroller;
    if (top < scrollTop) this.scroller.scrollTop = top;
    else if (top + ROW > scrollTop + clientHeight) this.scroller.scrollTop = top + ROW - clientHeight;
  }

  /** Scroll so that `node` stands near the top, below the last of its callers. */
  bring(node: number): void {
    const box = this.boxes.find((each) => each.node === node);
    if (box) this.scroller.scrollTop = Math.max(0, this.top(box.row) - CALLERS * ROW);
  }

  /** Whether `node` and its name are seen without scrolling. */
  seen(node: number): boolean {
    const box = this.boxes.find((each) => each.node === node);
    if (!box) return false;
    return box.width * this.scroller.clientWidth >= NAMED && this.top(box.row) + ROW <= this.scroller.clientHeight;
  }

  private layOut(): void {
    if (!this.painting) return;
    const { tree, zoom, mode } = this.painting;
    const width = Math.max(1, this.scroller.clientWidth);
    this.boxes = layOut(tree, zoom, mode, NARROWEST / width);
    this.rows = new Map();
    for (const box of this.boxes) {
      const row = this.rows.get(box.row);
      if (row) row.push(box);
      else this.rows.set(box.row, [box]);
    }
    this.sizer.style.height = `${rowsOf(this.boxes) * ROW}px`;
    this.draw();
  }

  private drawSoon(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  private draw(): void {
    if (!this.painting) return;
    const [width, height] = [this.scroller.clientWidth, this.scroller.clientHeight];
    const scale = devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * scale) || this.canvas.height !== Math.round(height * scale)) {
      this.canvas.width = Math.round(width * scale);
      this.canvas.height = Math.round(height * scale);
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${height}px`;
    }
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const pen = this.context;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = FONT;
    pen.textBaseline = "middle";
    for (const [row, boxes] of this.rows) {
      const top = this.top(row) - this.scroller.scrollTop;
      if (top > height || top < -ROW) continue;
      for (const box of boxes) this.drawBox(pen, box, top, width, dark);
    }
  }

  private drawBox(pen: CanvasRenderingContext2D, box: Box, top: number, width: number, dark: boolean): void {
    const { tree, mode, selected, found } = this.painting as Painting;
    const [x, wide] = [box.x * width, Math.max(NARROWEST, box.width * width - GAP)];
    pen.globalAlpha = found && found[box.node] !== 1 ? 0.3 : 1;
    pen.fillStyle = colourOf(tree, box.node, mode, dark);
    pen.fillRect(x, top, wide, ROW - GAP);
    if (wide >= NAMED) {
      pen.fillStyle = dark ? "#f2f4f8" : "#10141b";
      pen.fillText(fitted(pen, shortened(nameOf(tree, box.node)), wide - 2 * PADDING), x + PADDING, top + ROW / 2);
    }
    pen.globalAlpha = 1;
    if (box.node === selected) {
      pen.lineWidth = 2;
      pen.strokeStyle = dark ? "#7db4ff" : "#1f5fbf";
      pen.strokeRect(x + 1, top + 1, Math.max(1, wide - 2), ROW - GAP - 2);
    }
  }

  private top(row: number): number {
    return this.upwards ? (rowsOf(this.boxes) - 1 - row) * ROW : row * ROW;
  }

  private at(event: MouseEvent): Box | undefined {
    const frame = this.canvas.getBoundingClientRect();
    const x = (event.clientX - frame.left) / Math.max(1, frame.width);
    const line = Math.floor((event.clientY - frame.top + this.scroller.scrollTop) / ROW);
    const row = this.upwards ? rowsOf(this.boxes) - 1 - line : line;
    return this.rows.get(row)?.find((box) => x >= box.x && x < box.x + box.width);
  }
}

/** `text` cut so that it fits; measured by bisection, since names are long and boxes are many. */
function fitted(pen: CanvasRenderingContext2D, text: string, room: number): string {
  if (room <= 0) return "";
  const most = Math.min(text.length, Math.ceil(room / 3));
  if (most === text.length && pen.measureText(text).width <= room) return text;
  let [fits, fails] = [0, most];
  while (fails - fits > 1) {
    const middle = (fits + fails) >> 1;
    if (pen.measureText(`${text.slice(0, middle)}…`).width <= room) fits = middle;
    else fails = middle;
  }
  return fits > 0 ? `${text.slice(0, fits)}…` : "";
}
