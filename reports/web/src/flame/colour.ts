// What a frame's colour says. Blue and orange differ for colour-blind readers too; grey is noise.

import type { Mode } from "./layout";
import type { Tree } from "./tree";
import { certain } from "./words";

/** Percentage points of everything at which a colour is full. */
const FULL = 0.05;
const LESS = [212, 82] as const; // hue, saturation
const MORE = [22, 90] as const;

export type Kind = "application" | "jdk" | "library" | "native" | "note";

export function kindOf(name: string, own: boolean): Kind {
  if (own) return "application";
  if (name.startsWith("[")) return "note";
  if (/^(java|javax|jdk|sun|com\.sun)\./.test(name)) return "jdk";
  return /^[\w$.]+\.[\w$<>]+$/.test(name) && !name.includes(".so.") ? "library" : "native";
}

/** By mode: how the frame changed, as a part of everything; or what kind of code it is. */
export function colourOf(tree: Tree, node: number, mode: Mode, dark: boolean): string {
  if (mode === "diff") return changeColour(tree, node, dark);
  if (node === 0) return dark ? "hsl(216 12% 30%)" : "hsl(216 14% 82%)";
  const frame = tree.frame[node] as number;
  const shade = frame % 5; // neighbours of one kind stay apart
  const light = dark ? 30 + 2 * shade : 76 - 2 * shade;
  switch (kindOf(tree.names[frame] ?? "", tree.own[frame] === 1)) {
    case "application":
      return `hsl(262 ${dark ? 38 : 62}% ${light}%)`;
    case "library":
      return `hsl(168 ${dark ? 26 : 36}% ${light}%)`;
    case "jdk":
      return `hsl(210 ${dark ? 22 : 34}% ${light}%)`;
    case "native":
      return `hsl(46 ${dark ? 30 : 52}% ${light}%)`;
    case "note":
      return `hsl(0 0% ${light}%)`;
  }
}

function changeColour(tree: Tree, node: number, dark: boolean): string {
  const direction = certain(tree, node);
  if (direction === 0) return dark ? "hsl(216 10% 27%)" : "hsl(216 14% 88%)";
  const whole = Math.max(tree.baseline[0] as number, tree.candidate[0] as number);
  const change = Math.abs((tree.candidate[node] as number) - (tree.baseline[node] as number));
  const strength = whole > 0 ? Math.min(1, change / whole / FULL) : 0;
  const [hue, saturation] = direction > 0 ? MORE : LESS;
  const light = dark ? 30 + 16 * strength : 84 - 24 * strength;
  return `hsl(${hue} ${(0.45 + 0.55 * strength) * saturation}% ${light}%)`;
}
