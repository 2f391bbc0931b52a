// What the plots show: residual, overlap and joints, energy, contacts, time.

import type { Palette } from "./colours";
import type { History } from "./history";
import type { Chart, Line } from "./plots";
import type { LaneInfo } from "./protocol";

export interface LaneCurves {
    info: LaneInfo;
    history: History;
}

/** Running sum; steps that are not known yet add nothing. */
export function cumulative(values: readonly number[]): number[] {
    let sum = 0;
    return values.map((value) => (sum += Number.isFinite(value) ? value : 0));
}

function label(lanes: readonly LaneCurves[], index: number): string {
    const { method, max_iterations } = lanes[index].info;
    const twin = lanes.some((lane, i) => i !== index && lane.info.method === method);
    return twin && max_iterations !== null ? `${method} ${max_iterations}` : method;
}

export function residualChart(lanes: readonly LaneCurves[], colours: Palette): Chart {
    const lines = lanes.map(
        ({ history }, i): Line => ({ label: label(lanes, i), values: history.curves.measured, colour: colours.lanes[i] }),
    );
    const value = lanes[0]?.info.tolerance ?? 1e-9;
    return { lines, scale: "log", unit: "m/s", bound: { value, label: "tolerance" } };
}

/** Overlap and the gaps of joints at the ends of the steps, over what a certified step may leave. */
export function poseChart(lanes: readonly LaneCurves[], colours: Palette): Chart {
    const lines = lanes.flatMap(({ history: { curves } }, i): Line[] => {
        const suffix = lanes.length > 1 ? ` ${label(lanes, i)}` : "";
        const gap = lanes.length > 1 ? colours.lanes[i] : colours.energy.friction;
        return [
            { label: `overlap${suffix}`, values: curves.overlap, colour: colours.lanes[i] },
            { label: `joint gap${suffix}`, values: curves.jointGap, colour: gap },
        ];
    });
    return { lines, scale: "log", unit: "of the bound", bound: { value: 1, label: "bound" } };
}

/** Energy less where it began, and what friction and impacts took. */
export function energyChart(lanes: readonly LaneCurves[], colours: Palette): Chart {
    const total = ({ history: { curves } }: LaneCurves): number[] => {
        const start = curves.kinetic.findIndex((value) => Number.isFinite(value));
        const base = start < 0 ? 0 : curves.potential[start] + curves.kinetic[start];
        return curves.kinetic.map((kinetic, i) => kinetic + curves.potential[i] - base);
    };
    if (lanes.length > 1) {
        const lines = lanes.map(
            (lane, i): Line => ({ label: `total ${label(lanes, i)}`, values: total(lane), colour: colours.lanes[i] }),
        );
        return { lines, scale: "linear", unit: "J" };
    }
    const lines: Line[] = [];
    for (const lane of lanes) {
        const { curves } = lane.history;
        lines.push(
            { label: "kinetic", values: curves.kinetic, colour: colours.energy.kinetic },
            { label: "friction", values: cumulative(curves.friction), colour: colours.energy.friction },
            { label: "normal", values: cumulative(curves.normal), colour: colours.energy.normal },
            { label: "total", values: total(lane), colour: colours.energy.total },
        );
    }
    return { lines, scale: "linear", unit: "J" };
}

export function contactChart(lanes: readonly LaneCurves[], colours: Palette): Chart {
    const sum = (...lists: (readonly number[])[]): number[] =>
        lists[0].map((_, i) => lists.reduce((total, list) => total + list[i], 0));
    if (lanes.length > 1) {
        const lines = lanes.map(({ history: { curves } }, i): Line => {
            const values = sum(curves.stick, curves.slip);
            return { label: label(lanes, i), values, colour: colours.lanes[i] };
        });
        return { lines, scale: "linear", unit: "closed", atLeast: 1 };
    }
    const lines: Line[] = [];
    for (const { history } of lanes) {
        const { stick, slip, open } = history.curves;
        lines.push(
            { label: "stick", values: stick, own: stick, colour: colours.stick, area: true },
            { label: "slip", values: sum(stick, slip), own: slip, colour: colours.slip, area: true },
            { label: "open", values: sum(stick, slip, open), own: open, colour: colours.open, area: true },
        );
    }
    return { lines, scale: "linear", unit: "", atLeast: 1 };
}

export function timeChart(lanes: readonly LaneCurves[], colours: Palette): Chart {
    const step = 1e3 * (lanes[0]?.history.step ?? 1);
    if (lanes.length > 1) {
        const lines = lanes.map(
            ({ history }, i): Line => ({
                label: label(lanes, i),
                values: history.curves.whole,
                colour: colours.lanes[i],
            }),
        );
        return { lines, scale: "log", unit: "ms", bound: { value: step, label: "real time" } };
    }
    const lines: Line[] = [];
    for (const { history } of lanes) {
        lines.push(
            { label: "step", values: history.curves.whole, colour: colours.faint },
            { label: "solve", values: history.curves.solve, colour: colours.lanes[0] },
        );
    }
    return { lines, scale: "log", unit: "ms", bound: { value: step, label: "real time" } };
}
