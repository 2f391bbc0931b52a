// The strip under the scrubber: residual of every moment against the tolerance, what is known, and the playhead.

import type { Palette } from "./colours";
import type { LaneCurves } from "./charts";

/** Decades between the foot of the strip and its top. */
const DECADES = 16;

export class Strip {
    constructor(private readonly canvas: HTMLCanvasElement) {}

    draw(lanes: readonly LaneCurves[], end: number, frames: number, playhead: number, colours: Palette): void {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        const context = this.canvas.getContext("2d");
        if (width === 0 || context === null) {
            return;
        }
        const ratio = window.devicePixelRatio;
        if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
            this.canvas.width = Math.round(width * ratio);
            this.canvas.height = Math.round(height * ratio);
        }
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, width, height);
        const total = Math.max(frames, end, 2) - 1;
        context.fillStyle = colours.line;
        context.globalAlpha = 0.35;
        context.fillRect(0, 0, (width * Math.max(0, end - 1)) / total, height);
        const rows = height / Math.max(1, lanes.length);
        lanes.forEach((lane, index) => this.lane(context, lane, total, width, index * rows, rows, colours));
        context.globalAlpha = 1;
        context.fillStyle = colours.text;
        const x = Math.min(Math.max((width * playhead) / total, 1), width - 1);
        context.fillRect(x - 1, 0, 2, height);
        context.beginPath();
        context.arc(x, 4, 4, 0, 2 * Math.PI);
        context.fill();
    }

    private lane(
        context: CanvasRenderingContext2D,
        { info, history }: LaneCurves,
        total: number,
        width: number,
        top: number,
        height: number,
        colours: Palette,
    ): void {
        const { measured, degraded } = history.curves;
        const bar = Math.max(width / total, 1);
        for (let pixel = 0; pixel < width; pixel += bar) {
            const [from, to] = [Math.floor((pixel / width) * total), Math.ceil(((pixel + bar) / width) * total)];
            let [worst, bad] = [-1, false];
            for (let i = from; i < Math.min(to, measured.length); i++) {
                worst = measured[i] > worst ? measured[i] : worst;
                bad ||= degraded[i] === true;
            }
            if (worst < 0) {
                continue;
            }
            // The tolerance is at half height.
            const decades = Math.log10(Math.max(worst, 1e-300) / info.tolerance);
            const level = Math.min(Math.max(0.5 + decades / DECADES, 0.06), 1);
            context.fillStyle = bad ? colours.bad : colours.good;
            context.globalAlpha = bad ? 0.85 : 0.5;
            context.fillRect(pixel, top + height * (1 - level), Math.ceil(bar), height * level);
        }
    }
}
