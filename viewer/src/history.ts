// Everything received of a run: frames around the playhead, and the curves of all of it.

import { CONTACT_WORDS, excessOf, measuredOf, type Frame } from "./protocol";

/** Most bytes of frames kept in a lane. */
const KEPT_BYTES = 200 * 2 ** 20;
/** Frames asked for at a time: about so many bytes, and never more than the server gives. */
const CHUNK_BYTES = 4 * 2 ** 20;
const LARGEST_CHUNK = 512;
/** While nothing is known of their size. */
export const CHUNK = 64;

/** What plots need of a frame; index by index, NaN where nothing is known. */
export interface Curves {
    measured: number[];
    /** Overlap and gap of joints at the end of the step, over their bounds. */
    overlap: number[];
    jointGap: number[];
    degraded: boolean[];
    kinetic: number[];
    potential: number[];
    /** Work of friction in the step [J]. */
    friction: number[];
    /** Work of normal impulses in the step [J]. */
    normal: number[];
    stick: number[];
    slip: number[];
    open: number[];
    /** Wall time of the solve and of the whole step [ms]. */
    solve: number[];
    whole: number[];
    /** A large contact force of the moment [N]: the 95th percentile. */
    force: number[];
}

const NUMBERS = [
    "measured",
    "overlap",
    "jointGap",
    "kinetic",
    "potential",
    "friction",
    "normal",
    "stick",
    "slip",
    "open",
    "solve",
    "whole",
    "force",
] as const;

export class History {
    /** One past the newest frame that exists at the server. */
    end = 0;
    /** The oldest that exists there. */
    first = 0;
    readonly curves: Curves;
    /** Counts up with every frame, so that plots know when to redraw. */
    revision = 0;
    private readonly frames = new Map<number, Frame>();
    private bytes = 0;

    constructor(
        readonly step: number,
        private readonly keptBytes = KEPT_BYTES,
    ) {
        const curves: Partial<Curves> = { degraded: [] };
        for (const name of NUMBERS) {
            curves[name] = [];
        }
        this.curves = curves as Curves;
    }

    get count(): number {
        return this.frames.size;
    }

    add(frame: Frame, playhead: number): void {
        const old = this.frames.get(frame.index);
        this.bytes += frame.bytes - (old?.bytes ?? 0);
        this.frames.set(frame.index, frame);
        this.end = Math.max(this.end, frame.index + 1);
        this.record(frame);
        this.revision += 1;
        while (this.bytes > this.keptBytes && this.frames.size > 1) {
            this.forget(playhead);
        }
    }

    /** Drops the frame furthest from the playhead. */
    private forget(playhead: number): void {
        let worst = -1;
        let distance = -1;
        for (const index of this.frames.keys()) {
            if (Math.abs(index - playhead) > distance) {
                distance = Math.abs(index - playhead);
                worst = index;
            }
        }
        this.bytes -= this.frames.get(worst)?.bytes ?? 0;
        this.frames.delete(worst);
    }

    has(index: number): boolean {
        return this.frames.has(index);
    }

    /** The frame at an index, or the nearest known one before it, or after it. */
    nearest(index: number): Frame | null {
        for (let i = Math.min(index, this.end - 1); i >= this.first; i--) {
            const frame = this.frames.get(i);
            if (frame !== undefined) {
                return frame;
            }
        }
        for (let i = index + 1; i < this.end; i++) {
            const frame = this.frames.get(i);
            if (frame !== undefined) {
                return frame;
            }
        }
        return null;
    }

    /** The next frames worth asking for: first what is about to be played, then what the curves lack. */
    missing(playhead: number): { from: number; to: number } | null {
        const average = this.frames.size > 0 ? this.bytes / this.frames.size : CHUNK_BYTES / CHUNK;
        const chunk = Math.min(Math.max(Math.floor(CHUNK_BYTES / average), 8), LARGEST_CHUNK);
        const room = Math.max(chunk, Math.floor((0.8 * this.keptBytes) / Math.max(average, 1)));
        const near = this.gap(Math.max(this.first, playhead), Math.min(this.end, playhead + room), chunk, (i) => this.has(i));
        if (near !== null) {
            return near;
        }
        const known = (i: number): boolean => this.curves.degraded[i] !== undefined;
        return this.gap(this.first, this.end, chunk, known);
    }

    private gap(
        from: number,
        to: number,
        chunk: number,
        known: (index: number) => boolean,
    ): { from: number; to: number } | null {
        for (let i = from; i < to; i++) {
            if (!known(i)) {
                let end = i + 1;
                while (end < to && end - i < chunk && !known(end)) {
                    end += 1;
                }
                return { from: i, to: end };
            }
        }
        return null;
    }

    /** The moment with the largest residual, if anything touched at all. */
    worst(): number | null {
        let worst: number | null = null;
        const { measured } = this.curves;
        for (let i = 0; i < measured.length; i++) {
            if (measured[i] >= 0 && (worst === null || measured[i] > measured[worst])) {
                worst = i;
            }
        }
        return worst;
    }

    private record(frame: Frame): void {
        const { curves } = this;
        const report = frame.report;
        while (curves.measured.length <= frame.index) {
            for (const name of NUMBERS) {
                curves[name].push(NaN);
            }
        }
        const i = frame.index;
        curves.degraded[i] = report?.status === "degraded";
        if (report === null) {
            return;
        }
        const { after, friction, normal } = report.energy;
        curves.measured[i] = measuredOf(report);
        curves.overlap[i] = excessOf(report, "overlap");
        curves.jointGap[i] = excessOf(report, "joint_gap");
        curves.kinetic[i] = after.linear + after.rotational;
        curves.potential[i] = after.potential;
        curves.friction[i] = friction;
        curves.normal[i] = normal;
        curves.stick[i] = report.counts.states.stick;
        curves.slip[i] = report.counts.states.slip;
        curves.open[i] = report.counts.states.open;
        curves.solve[i] = 1e3 * (report.times["solve"] ?? 0);
        curves.whole[i] = 1e3 * Object.values(report.times).reduce((sum, t) => sum + t, 0);
        curves.force[i] = largeForce(frame, this.step);
    }
}

function largeForce(frame: Frame, step: number): number {
    const forces: number[] = [];
    for (let c = 0; c < frame.contactCount; c++) {
        const at = c * CONTACT_WORDS;
        const [x, y, z] = frame.contacts.subarray(at + 8, at + 11);
        const size = Math.hypot(x, y, z) / step;
        if (size > 0) {
            forces.push(size);
        }
    }
    forces.sort((a, b) => a - b);
    return forces.length > 0 ? forces[Math.floor(0.95 * (forces.length - 1))] : NaN;
}

/** The median of the numbers in a list, NaN if there is none. */
export function median(values: readonly number[]): number {
    const known = values.filter((value) => Number.isFinite(value)).sort((a, b) => a - b);
    return known.length > 0 ? known[Math.floor(known.length / 2)] : NaN;
}
