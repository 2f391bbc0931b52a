// Colours of the 3D view and of the plots, for light and dark. Those of the page are in style.css.

import { Color } from "three";

export interface Palette {
    background: string;
    floor: string;
    line: string;
    fixed: string;
    bodies: string[];
    selected: string;
    stick: string;
    slip: string;
    open: string;
    asleep: string;
    rest: string;
    moving: string;
    arrow: string;
    joint: string;
    motor: string;
    sensor: string;
    /** x, y, z. */
    axes: [string, string, string];
    good: string;
    bad: string;
    text: string;
    faint: string;
    lanes: [string, string];
    energy: { total: string; kinetic: string; friction: string; normal: string };
}

const LIGHT: Palette = {
    background: "#eef0f2",
    floor: "#e3e6e9",
    line: "#b9c0c8",
    fixed: "#a9b0b8",
    bodies: ["#c96f4a", "#4f7ea8", "#6f9a6a", "#d2a13c", "#8b6aa3", "#3f9a98", "#b85c78", "#8a8f55", "#a0785a", "#5f6fae", "#4d8f72", "#b9834f"],
    selected: "#111827",
    stick: "#1f6fb2",
    slip: "#d9730d",
    open: "#98a1ab",
    asleep: "#5b6b8c",
    rest: "#a3b3c2",
    moving: "#d9730d",
    arrow: "#b3263a",
    joint: "#4b5563",
    motor: "#7a3fb0",
    sensor: "#0f9aa8",
    axes: ["#c22f3d", "#16855f", "#1f6fb2"],
    good: "#16855f",
    bad: "#c22f3d",
    text: "#1c232b",
    faint: "#7b8591",
    lanes: ["#1f6fb2", "#c2571a"],
    energy: { total: "#1c232b", kinetic: "#1f6fb2", friction: "#d9730d", normal: "#8b6aa3" },
};

const DARK: Palette = {
    background: "#15181c",
    floor: "#1d2126",
    line: "#39414b",
    fixed: "#59626d",
    bodies: ["#d98562", "#6b9cc9", "#88b381", "#dfb45c", "#a98ac2", "#58b5b1", "#d07c97", "#a8ad6e", "#bd9577", "#7f8ecb", "#6bb092", "#d3a070"],
    selected: "#ffffff",
    stick: "#5aa9e6",
    slip: "#f2994a",
    open: "#6c7682",
    asleep: "#46557a",
    rest: "#7f8d9b",
    moving: "#f2994a",
    arrow: "#ff6b7a",
    joint: "#9aa4b0",
    motor: "#c79bf2",
    sensor: "#4fd0dc",
    axes: ["#ff6b73", "#45c496", "#5aa9e6"],
    good: "#45c496",
    bad: "#ff6b73",
    text: "#e6eaee",
    faint: "#8a949f",
    lanes: ["#5aa9e6", "#f2994a"],
    energy: { total: "#e6eaee", kinetic: "#5aa9e6", friction: "#f2994a", normal: "#b79bd0" },
};

export type Theme = "light" | "dark";

export function palette(theme: Theme): Palette {
    return theme === "dark" ? DARK : LIGHT;
}

/** The colour of a family; its members differ a little in lightness. */
export function bodyColour(colours: Palette, family: number, member: number): Color {
    const colour = new Color(colours.bodies[family % colours.bodies.length]);
    // The golden ratio spreads neighbours apart.
    return member === 0 ? colour : colour.offsetHSL(0, 0, 0.15 * (((member * 0.618034) % 1) - 0.5));
}

/** A colour for the n-th island: hues a golden angle apart. */
export function islandColour(theme: Theme, island: number): Color {
    const hue = (0.58 + island * 0.381966) % 1;
    return new Color().setHSL(hue, 0.45, theme === "dark" ? 0.6 : 0.5);
}
