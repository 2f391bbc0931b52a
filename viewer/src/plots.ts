// Small curves over time, drawn by hand. A click on one moves the playhead there.

import type { Palette } from "./colours";
import { powerOfTen, show, ticks } from "./numbers";

export interface Line {
    label: string;
    values: readonly number[];
    colour: string;
    /** Filled down to the line before it. */
    area?: boolean;
    /** What the legend says, where it is not the height of the curve. */
    own?: readonly number[];
}

export interface Chart {
    lines: Line[];
    scale: "linear" | "log";
    unit: string;
    /** A bound: drawn across, and always in the picture. */
    bound?: { value: number; label: string };
    /** Least upper end of a linear scale. */
    atLeast?: number;
}

export interface Span {
    /** Frames shown, `0..end`. */
    end: number;
    step: number;
    playhead: number;
}

const LEFT = 38;
const RIGHT = 6;
const TOP = 6;
const BOTTOM = 14;

export class Plot {
    private readonly canvas: HTMLCanvasElement;
    private readonly legend: HTMLElement;
    private width = 0;
    private height = 0;

    constructor(
        root: HTMLElement,
        private readonly title: string,
        seek: (fraction: number) => void,
    ) {
        const figure = document.createElement("figure");
        figure.className = "plot";
        const caption = document.createElement("figcaption");
        const name = document.createElement("span");
        name.className = "plot-title";
        name.textContent = title;
        this.legend = document.createElement("span");
        this.legend.className = "plot-legend";
        caption.append(name, this.legend);
        this.canvas = document.createElement("canvas");
        this.canvas.setAttribute("role", "img");
        figure.append(caption, this.canvas);
        root.append(figure);
        const move = (event: PointerEvent): void => {
            const { left, width } = this.canvas.getBoundingClientRect();
            seek(Math.min(Math.max((event.clientX - left - LEFT) / (width - LEFT - RIGHT), 0), 1));
        };
        this.canvas.addEventListener("pointerdown", (event) => {
            this.canvas.setPointerCapture(event.pointerId);
            move(event);
        });
        this.canvas.addEventListener("pointermove", (event) => {
            if (event.buttons !== 0) {
                move(event);
            }
        });
    }

    draw(chart: Chart, span: Span, colours: Palette): void {
        const context = this.prepare();
        if (context === null) {
            return;
        }
        const [low, high] = range(chart);
        const plotWidth = this.width - LEFT - RIGHT;
        const plotHeight = this.height - TOP - BOTTOM;
        const frames = Math.max(span.end - 1, 1);
        const x = (index: number): number => LEFT + (plotWidth * index) / frames;
        const level = (value: number): number => (chart.scale === "log" ? Math.log10(value) : value);
        const y = (value: number): number => {
            const at = value === Infinity ? high : level(Math.max(value, chart.scale === "log" ? 10 ** low : value));
            return TOP + plotHeight * (1 - (Math.min(at, high) - low) / (high - low));
        };
        this.axes(context, chart, [low, high], span, colours, x, y);
        let below: readonly number[] | null = null;
        for (const line of chart.lines) {
            curve(context, line, span.end, x, y, plotWidth, line.area === true ? (below ?? []) : null, y(0));
            below = line.area === true ? line.values : null;
        }
        if (chart.bound !== undefined) {
            rule(context, y(chart.bound.value), LEFT, this.width - RIGHT, colours.bad);
        }
        context.fillStyle = colours.text;
        context.globalAlpha = 0.55;
        context.fillRect(Math.round(x(span.playhead)) - 0.5, TOP, 1, plotHeight);
        context.globalAlpha = 1;
        this.describe(chart, span);
    }

    private prepare(): CanvasRenderingContext2D | null {
        const { clientWidth, clientHeight } = this.canvas;
        const ratio = window.devicePixelRatio;
        if (clientWidth === 0) {
            return null;
        }
        if (this.canvas.width !== Math.round(clientWidth * ratio) || this.canvas.height !== Math.round(clientHeight * ratio)) {
            this.canvas.width = Math.round(clientWidth * ratio);
            this.canvas.height = Math.round(clientHeight * ratio);
        }
        [this.width, this.height] = [clientWidth, clientHeight];
        const context = this.canvas.getContext("2d");
        context?.setTransform(ratio, 0, 0, ratio, 0, 0);
        context?.clearRect(0, 0, clientWidth, clientHeight);
        return context;
    }

    private axes(
        context: CanvasRenderingContext2D,
        chart: Chart,
        [low, high]: [number, number],
        span: Span,
        colours: Palette,
        x: (index: number) => number,
        y: (value: number) => number,
    ): void {
        context.font = "10px system-ui, sans-serif";
        context.fillStyle = colours.faint;
        context.strokeStyle = colours.line;
        context.textBaseline = "middle";
        context.textAlign = "right";
        context.lineWidth = 1;
        const levels = chart.scale === "log" ? logTicks(low, high) : ticks(low, high, 3);
        for (const value of levels) {
            const at = Math.round(y(chart.scale === "log" ? 10 ** value : value)) + 0.5;
            context.globalAlpha = 0.45;
            context.beginPath();
            context.moveTo(LEFT, at);
            context.lineTo(this.width - RIGHT, at);
            context.stroke();
            context.globalAlpha = 1;
            // Squeezed rather than cut off.
            context.fillText(chart.scale === "log" ? powerOfTen(value) : short(value), LEFT - 5, at, LEFT - 7);
        }
        context.textBaseline = "alphabetic";
        context.textAlign = "center";
        for (const time of ticks(0, (span.end - 1) * span.step, 4)) {
            const at = Math.min(Math.max(x(time / span.step), LEFT + 4), this.width - RIGHT - 8);
            context.fillText(`${Number(time.toPrecision(3))}`, at, this.height - 2);
        }
    }

    /** Values at the playhead, as text beside the title and for those who cannot see the curves. */
    private describe(chart: Chart, span: Span): void {
        const entries = chart.lines.map((line) => {
            const entry = document.createElement("span");
            const key = document.createElement("i");
            key.style.background = line.colour;
            const value = show((line.own ?? line.values)[span.playhead], 2);
            entry.append(key, `${line.label} ${value}`);
            return { entry, text: `${line.label} ${value}` };
        });
        const unit = chart.unit === "" ? "" : ` ${chart.unit}`;
        this.legend.replaceChildren(...entries.map(({ entry }) => entry), unit);
        const bound = chart.bound === undefined ? "" : `; ${chart.bound.label} ${show(chart.bound.value)}${unit}`;
        this.canvas.setAttribute("aria-label", `${this.title}: ${entries.map((e) => e.text).join(", ")}${unit}${bound}`);
    }
}

/** Lower and upper end; powers of ten for a log scale. */
export function range(chart: Chart): [number, number] {
    let [low, high] = [Infinity, -Infinity];
    const take = (value: number): void => {
        if (Number.isFinite(value) && (chart.scale === "linear" || value > 0)) {
            low = Math.min(low, value);
            high = Math.max(high, value);
        }
    };
    for (const line of chart.lines) {
        for (const value of line.values) {
            take(value);
        }
    }
    const nothing = low > high;
    if (chart.bound !== undefined) {
        take(chart.bound.value);
    }
    if (chart.scale === "log") {
        if (low > high) {
            return [-12, 0];
        }
        if (nothing) {
            // All zero: far below the bound, and not on it.
            low *= 1e-6;
        }
        const [bottom, top] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high) + 0.3)];
        return [Math.max(bottom, top - 20), Math.max(top, bottom + 2)];
    }
    if (low > high || (low === 0 && high === 0)) {
        return [0, chart.atLeast ?? 1];
    }
    if (chart.atLeast !== undefined) {
        low = Math.min(low, 0);
        high = Math.max(high, chart.atLeast);
    }
    const margin = 0.06 * (high - low) || Math.max(1e-9, 0.1 * Math.abs(high)) || 1;
    return [low === 0 ? 0 : low - margin, high + margin];
}

function logTicks(low: number, high: number): number[] {
    const step = Math.max(1, Math.ceil((high - low) / 4));
    const list: number[] = [];
    for (let k = Math.ceil(low / step) * step; k <= high; k += step) {
        list.push(k);
    }
    return list;
}

function short(value: number): string {
    const size = Math.abs(value);
    if (size >= 1e6) {
        return `${Number((value / 1e6).toPrecision(3))}M`;
    }
    if (size >= 1e4) {
        return `${Number((value / 1e3).toPrecision(3))}k`;
    }
    return show(value, size < 1e-3 ? 1 : 3);
}

function rule(context: CanvasRenderingContext2D, y: number, from: number, to: number, colour: string): void {
    context.save();
    context.strokeStyle = colour;
    context.globalAlpha = 0.8;
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(from, Math.round(y) + 0.5);
    context.lineTo(to, Math.round(y) + 0.5);
    context.stroke();
    context.restore();
}

/** A curve with gaps. Where there are more points than pixels, each pixel shows its largest value: no peak is lost. */
function curve(
    context: CanvasRenderingContext2D,
    line: Line,
    end: number,
    x: (index: number) => number,
    y: (value: number) => number,
    pixels: number,
    below: readonly number[] | null,
    zero: number,
): void {
    const stride = Math.max(1, Math.floor(end / pixels));
    const points: [number, number, number][] = [];
    const runs: [number, number, number][][] = [];
    for (let i = 0; i < end; i += stride) {
        let value = NaN;
        let at = i;
        for (let k = i; k < Math.min(i + stride, end); k++) {
            const candidate = line.values[k];
            if (candidate !== undefined && !Number.isNaN(candidate) && !(candidate <= value)) {
                value = candidate;
                at = k;
            }
        }
        if (Number.isNaN(value)) {
            if (points.length > 0) {
                runs.push(points.splice(0));
            }
        } else {
            const floor = below === null || below[at] === undefined || Number.isNaN(below[at]) ? zero : y(below[at]);
            points.push([x(at), y(value), floor]);
        }
    }
    runs.push(points);
    context.lineJoin = "round";
    for (const run of runs.filter((each) => each.length > 0)) {
        context.beginPath();
        run.forEach(([px, py]) => context.lineTo(px, py));
        if (below !== null) {
            [...run].reverse().forEach(([px, , floor]) => context.lineTo(px, floor));
            context.fillStyle = line.colour;
            context.globalAlpha = 0.75;
            context.fill();
            context.globalAlpha = 1;
            continue;
        }
        context.strokeStyle = line.colour;
        context.lineWidth = 1.5;
        if (run.length === 1) {
            context.lineTo(run[0][0] + 1, run[0][1]);
        }
        context.stroke();
    }
}
