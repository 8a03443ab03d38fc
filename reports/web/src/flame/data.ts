// The flame graphs as the page embeds them: a row for each kind of profile, its columns packed.
//
// `data` is base64 of zlib of JSON with the fields of `Columns`. It came out of a build, so nothing in it is believed
// before `decode` has checked it.

export interface FlameRow {
  readonly event: string;
  readonly quantum: number;
  readonly beyond: number;
  readonly data: string;
}

export interface Facet {
  readonly pool: string;
  readonly endpoint: string;
  readonly state: string;
}

/** All stacks of one kind of profile. Nodes are in the order of their depth: a caller comes before what it calls. */
export interface Flame {
  readonly event: string;
  readonly names: readonly string[];
  /** Of each name, 1 when it is the application's own code. */
  readonly own: Uint8Array;
  readonly facets: readonly Facet[];
  /** Position of the caller; -1 at the top. */
  readonly parent: Int32Array;
  /** Into `names`; at the top into `facets`. */
  readonly frame: Int32Array;
  /** Own cost per request. */
  readonly baseline: Float64Array;
  readonly candidate: Float64Array;
  /** Half of the 95 % interval of the change, with everything below. */
  readonly margin: Float64Array;
}

interface Columns {
  readonly names: readonly string[];
  /** Names that are the application's, by their places. */
  readonly own: readonly number[];
  readonly facets: readonly (readonly [string, string, string])[];
  /** Parents ascend, so each is written as its distance to the one before it. */
  readonly parent: readonly number[];
  readonly frame: readonly number[];
  readonly baseline: readonly number[];
  readonly candidate: readonly number[];
  /** In quanta; -1 when nothing is known. */
  readonly error: readonly number[];
}

/** The data embedded in the page, or null when it holds none. */
export function embeddedFlames(page: Document): readonly FlameRow[] | null {
  const text = page.getElementById("flames-data")?.textContent;
  return text ? (JSON.parse(text) as FlameRow[]) : null;
}

export async function decode(row: FlameRow): Promise<Flame> {
  const packed = Uint8Array.from(atob(row.data), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return unpack(row, JSON.parse(await new Response(stream).text()) as Columns);
}

/** The columns as typed arrays. Throws when they do not make a tree. */
export function unpack(row: FlameRow, columns: Columns): Flame {
  const count = columns.parent.length;
  for (const column of [columns.frame, columns.baseline, columns.candidate, columns.error]) {
    if (column.length !== count) throw new Error("the flame graph's columns differ in length");
  }
  const parent = new Int32Array(count);
  let before = -1;
  for (let node = 0; node < count; node += 1) {
    before += columns.parent[node] ?? 0;
    if (!(before >= -1 && before < node)) throw new Error("the flame graph has a node before its caller");
    parent[node] = before;
  }
  const frame = Int32Array.from(columns.frame);
  frame.forEach((number, node) => {
    const known = parent[node] === -1 ? columns.facets.length : columns.names.length;
    if (number < 0 || number >= known) throw new Error("the flame graph names a frame that is not there");
  });
  const own = new Set(columns.own);
  const scaled = (column: readonly number[]): Float64Array => Float64Array.from(column, (value) => value * row.quantum);
  return {
    event: row.event,
    names: columns.names,
    own: Uint8Array.from(columns.names, (_, place) => (own.has(place) ? 1 : 0)),
    facets: columns.facets.map(([pool, endpoint, state]) => ({ pool, endpoint, state })),
    parent,
    frame,
    baseline: scaled(columns.baseline),
    candidate: scaled(columns.candidate),
    margin: Float64Array.from(columns.error, (value) => (value < 0 ? Infinity : value * row.quantum * row.beyond)),
  };
}
