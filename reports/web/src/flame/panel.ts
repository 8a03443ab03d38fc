// The flame graph's panel: what a reader chooses becomes a tree, the tree a drawing, and the choice a part of the URL.

import { FlameCanvas } from "./canvas";
import { decode, type Facet, type Flame, type FlameRow } from "./data";
import type { Mode } from "./layout";
import { search, type Found } from "./search";
import { addressOf, calleesOf, callersOf, chosenTree, mostChanged, nodeAt, pathTo, type Tree } from "./tree";
import { FIRST_VIEW, untouched, type FlameView } from "./view";
import { amount, describe, nameOf, shortened, TITLES } from "./words";

const BUSY = "busy"; // of wall-clock time everything but threads that wait for work
/** Frames of a path that are named; the first and the last of a longer one. */
const CRUMBS = 6;
const STATES: readonly (readonly [string, string])[] = [
  [BUSY, "at work"],
  ["running", "running"],
  ["waiting", "waiting within work"],
  ["idle", "idle"],
  ["all", "all"],
];

interface Parts {
  readonly event: HTMLSelectElement;
  readonly pool: HTMLSelectElement;
  readonly serves: HTMLSelectElement;
  readonly state: HTMLSelectElement;
  readonly mode: HTMLSelectElement;
  readonly find: HTMLInputElement;
  readonly count: HTMLElement;
  readonly crumbs: HTMLElement;
  readonly words: HTMLElement;
  readonly tip: HTMLElement;
  readonly callersTitle: HTMLElement;
  readonly legend: HTMLElement;
}

interface Place {
  readonly scroller: HTMLElement;
  readonly sizer: HTMLElement;
  readonly canvas: HTMLCanvasElement;
}

export class FlamePanel {
  private view: FlameView = FIRST_VIEW;
  private flame: Flame | null = null;
  private tree: Tree | null = null;
  private callerTree: Tree | null = null;
  private treesAre = "";
  private selected = 0;
  private found: Found | null = null;
  private callersFound: Found | null = null;
  private foundFor = "";
  /** The frame that the leading cause names; "" for none. */
  private readonly cause: string;
  private readonly main: FlameCanvas;
  private readonly above: FlameCanvas;
  private readonly unpacked = new Map<string, Promise<Flame>>();

  constructor(
    private readonly rows: readonly FlameRow[],
    private readonly parts: Parts,
    main: Place,
    private readonly callers: Place,
    private readonly changed: (view: FlameView) => void,
  ) {
    this.main = new FlameCanvas(main.scroller, main.sizer, main.canvas, false, {
      over: (node, event) => this.hover(this.tree, node, event),
      chosen: (node) => this.zoom(node),
    });
    this.above = new FlameCanvas(callers.scroller, callers.sizer, callers.canvas, true, {
      over: (node, event) => this.hover(this.callerTree, node, event),
      chosen: (node) => this.sandwich(this.callerTree, node),
    });
    for (const row of rows) parts.event.add(new Option(TITLES[row.event] ?? row.event, row.event));
    for (const [value, title] of STATES) parts.state.add(new Option(title, value));
    this.cause = main.canvas.dataset["cause"] ?? "";
    this.listen(main.canvas);
  }

  /** Show `view`, as far as there is what it asks for. */
  async show(view: FlameView): Promise<void> {
    const row = this.rows.find((each) => each.event === view.event) ?? this.rows[0];
    if (row === undefined) return;
    const waited = this.unpacked.get(row.event) ?? decode(row);
    this.unpacked.set(row.event, waited);
    const before = this.view;
    this.view = view;
    const flame = await waited;
    if (this.view !== view) return; // something else was chosen meanwhile
    const first = this.flame === null;
    this.flame = flame;
    this.offer(flame);
    this.build();
    if (first) this.open();
    else if (view.zoom !== before.zoom) this.main.reveal(this.selected);
  }

  /** What is seen first: what a link leads to, else the leading cause, where a reader would have to look for it. */
  private open(): void {
    const tree = this.tree as Tree;
    if (untouched(this.view)) {
      const node = mostChanged(tree, this.cause);
      if (node === 0 || this.main.seen(node)) return;
      this.view = { ...this.view, zoom: addressOf(tree, node) };
      this.build();
    }
    this.main.bring(nodeAt(tree, this.view.zoom));
  }

  private choose(change: Partial<FlameView>): void {
    const next = { ...this.view, ...change };
    this.changed(next);
    void this.show(next);
  }

  private offer(flame: Flame): void {
    const { parts, view } = this;
    parts.event.value = flame.event;
    fill(
      parts.pool,
      "every pool",
      distinct(flame.facets, (facet) => facet.pool),
      view.pool,
    );
    fill(
      parts.serves,
      "every endpoint",
      distinct(flame.facets, (facet) => facet.endpoint),
      view.serves,
    );
    const states = flame.event === "wall";
    (parts.state.closest("label") as HTMLElement).hidden = !states;
    parts.state.value = view.state || BUSY;
    parts.mode.value = view.mode;
    if (parts.find.value !== view.find) parts.find.value = view.find;
  }

  private build(): void {
    const tree = this.grow();
    this.selected = nodeAt(tree, this.view.zoom);
    this.find(tree);
    this.paint();
  }

  /** The trees of what is chosen; a zoom or a search leaves them as they are, for there may be a million nodes. */
  private grow(): Tree {
    const flame = this.flame as Flame;
    const { view } = this;
    const wish = JSON.stringify([flame.event, view.pool, view.serves, view.state, view.sandwich]);
    if (this.tree !== null && wish === this.treesAre) return this.tree;
    const whole = chosenTree(flame, (facet) => wanted(facet, view));
    const frame = view.sandwich ? flame.names.indexOf(view.sandwich) : -1;
    this.callerTree = frame < 0 ? null : callersOf(whole, frame);
    this.callers.scroller.hidden = this.callerTree === null;
    this.parts.callersTitle.hidden = this.callerTree === null;
    this.treesAre = wish;
    this.foundFor = "";
    return (this.tree = frame < 0 ? whole : calleesOf(whole, frame));
  }

  private find(tree: Tree): void {
    const sought = this.view.find.trim();
    if (sought === this.foundFor && sought) return;
    this.foundFor = sought;
    this.found = search(tree, sought);
    this.callersFound = this.callerTree && search(this.callerTree, sought);
  }

  private paint(): void {
    const tree = this.tree as Tree;
    const { mode } = this.view;
    const zoom = nodeAt(tree, this.view.zoom);
    this.main.show({ tree, mode, zoom, selected: this.selected, found: this.found?.lit ?? null });
    if (this.callerTree) {
      const found = this.callersFound?.lit ?? null;
      this.above.show({ tree: this.callerTree, mode, zoom: 0, selected: -1, found });
    }
    this.parts.legend.dataset["mode"] = mode;
    this.tellFound();
    this.tellPath(zoom);
    this.tell(this.selected);
  }

  private zoom(node: number): void {
    const tree = this.tree as Tree;
    this.selected = node;
    this.choose({ zoom: addressOf(tree, node) });
  }

  private sandwich(tree: Tree | null, node: number): void {
    if (tree === null || node <= 0) return;
    this.choose({ sandwich: nameOf(tree, node), zoom: "" });
  }

  private hover(tree: Tree | null, node: number, event: MouseEvent): void {
    const { tip } = this.parts;
    tip.hidden = tree === null || node < 0;
    if (tree === null || node < 0) return;
    const title = document.createElement("strong");
    title.textContent = this.title(tree, node);
    const lines = describe(tree, node, (this.flame as Flame).event).map((words) => {
      const line = document.createElement("span");
      line.textContent = words;
      return line;
    });
    tip.replaceChildren(title, ...lines);
    const room = document.documentElement.clientWidth - tip.offsetWidth - 12;
    tip.style.left = `${Math.max(0, Math.min(event.clientX + 12, room))}px`;
    tip.style.top = `${event.clientY + 16}px`;
  }

  private title(tree: Tree, node: number): string {
    return node === 0 && this.view.sandwich ? this.view.sandwich : nameOf(tree, node);
  }

  private tell(node: number): void {
    const tree = this.tree as Tree;
    this.parts.words.textContent = `${this.title(tree, node)}: ${describe(tree, node, (this.flame as Flame).event).join("; ")}.`;
  }

  private tellFound(): void {
    const { found } = this;
    if (!found) this.parts.count.textContent = "";
    else {
      const { event } = this.flame as Flame;
      const sides = `${amount(found.baseline, event)} → ${amount(found.candidate, event)}`;
      this.parts.count.textContent =
        found.frames === 0 ? "none found" : `${found.frames} ${found.frames === 1 ? "frame" : "frames"}, ${sides}`;
    }
  }

  private tellPath(zoom: number): void {
    const tree = this.tree as Tree;
    const path = pathTo(tree, zoom);
    const hidden = Math.max(0, path.length - CRUMBS);
    const shown = path.filter((_, place) => place === 0 || place > hidden);
    const crumbs: HTMLElement[] = shown.map((node) => {
      const crumb = document.createElement("button");
      crumb.type = "button";
      crumb.textContent =
        node === 0 && zoom > 0 ? `‹ ${shortened(this.title(tree, node))}` : shortened(this.title(tree, node));
      crumb.title = this.title(tree, node);
      if (node === zoom) crumb.setAttribute("aria-current", "true");
      crumb.addEventListener("click", () => this.zoom(node));
      return crumb;
    });
    if (hidden > 0) crumbs.splice(1, 0, note(`… ${hidden} more …`));
    if (zoom > 0 && this.title(tree, zoom) === this.cause) crumbs.push(note("the likely cause"));
    if (this.view.sandwich) {
      const back = document.createElement("button");
      back.type = "button";
      back.textContent = "‹ whole graph";
      back.addEventListener("click", () => this.choose({ sandwich: "", zoom: "" }));
      crumbs.unshift(back);
    }
    this.parts.crumbs.replaceChildren(...crumbs);
  }

  private listen(canvas: HTMLCanvasElement): void {
    const { parts } = this;
    parts.event.addEventListener("change", () => this.choose({ event: parts.event.value, zoom: "" }));
    parts.pool.addEventListener("change", () => this.choose({ pool: parts.pool.value, zoom: "" }));
    parts.serves.addEventListener("change", () => this.choose({ serves: parts.serves.value, zoom: "" }));
    parts.state.addEventListener("change", () =>
      this.choose({ state: parts.state.value === BUSY ? "" : parts.state.value, zoom: "" }),
    );
    parts.mode.addEventListener("change", () => this.choose({ mode: parts.mode.value as Mode }));
    parts.find.addEventListener("input", () => this.choose({ find: parts.find.value }));
    canvas.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey && this.key(event.key)) event.preventDefault();
    });
  }

  /** Whether the key meant something. */
  private key(key: string): boolean {
    const tree = this.tree;
    if (tree === null) return false;
    const parent = tree.parent[this.selected] as number;
    switch (key) {
      case "ArrowDown":
        return this.select(tree.children[tree.first[this.selected] as number], this.hasChildren(tree));
      case "ArrowUp":
        return this.select(parent, parent >= 0);
      case "ArrowLeft":
        return this.sibling(tree, -1);
      case "ArrowRight":
        return this.sibling(tree, 1);
      case "Enter":
        this.zoom(this.selected);
        return true;
      case "Escape":
        this.selected = 0;
        this.choose(this.view.zoom ? { zoom: "" } : { sandwich: "" });
        return true;
      case "s":
        this.sandwich(tree, this.selected);
        return true;
      case "/":
        this.parts.find.focus();
        return true;
      default:
        return false;
    }
  }

  private hasChildren(tree: Tree): boolean {
    return (tree.first[this.selected + 1] as number) > (tree.first[this.selected] as number);
  }

  private sibling(tree: Tree, step: 1 | -1): boolean {
    const parent = tree.parent[this.selected] as number;
    if (parent < 0) return false;
    const [begin, end] = [tree.first[parent] as number, tree.first[parent + 1] as number];
    const place = tree.children.indexOf(this.selected, begin) + step;
    return this.select(tree.children[place], place >= begin && place < end);
  }

  private select(node: number | undefined, possible: boolean): boolean {
    if (!possible || node === undefined) return false;
    this.selected = node;
    this.paint();
    this.main.reveal(node);
    return true;
  }
}

function note(words: string): HTMLElement {
  const span = document.createElement("span");
  span.className = "muted";
  span.textContent = words;
  return span;
}

function wanted(facet: Facet, view: FlameView): boolean {
  if (view.pool && facet.pool !== view.pool) return false;
  if (view.serves && facet.endpoint !== view.serves) return false;
  if (facet.state === "" || view.state === "all") return true;
  return view.state ? facet.state === view.state : facet.state !== "idle";
}

function distinct(facets: readonly Facet[], of: (facet: Facet) => string): string[] {
  return [...new Set(facets.map(of))].filter(Boolean).sort((a, b) => a.localeCompare(b));
}

function fill(select: HTMLSelectElement, all: string, values: readonly string[], chosen: string): void {
  select.replaceChildren(new Option(all, ""), ...values.map((value) => new Option(value, value)));
  select.value = values.includes(chosen) ? chosen : "";
}
