import { describe, expect, it } from "vitest";
import { cumulative } from "./charts";
import { CHUNK, History, median } from "./history";
import { islands } from "./islands";
import { Playback } from "./playback";
import { powerOfTen, show, ticks } from "./numbers";
import { range } from "./plots";
import { CONTACT_WORDS, type Frame, type Report, type Scene } from "./protocol";

function frame(index: number, measured: number | null = null, bytes = 100): Frame {
    const report = {
        status: measured !== null && measured > 1e-9 ? "degraded" : "certified",
        measured,
        certificate: null,
        velocity: measured === null ? null : {},
        counts: { states: { open: 1, slip: 2, stick: 3 } },
        energy: { after: { linear: 1, rotational: 2, potential: 3 }, friction: -1, normal: 0 },
        times: { solve: 0.002, manifold: 0.001 },
    } as unknown as Report;
    return {
        lane: 0,
        epoch: 1,
        index,
        time: index,
        bodyCount: 0,
        contactCount: 0,
        bodies: new Float32Array(),
        bodyWords: new Uint32Array(),
        contacts: new Float32Array(),
        contactWords: new Uint32Array(),
        report,
        bytes,
    };
}

describe("a history", () => {
    it("asks for what is about to be played first, then for what its curves lack", () => {
        const history = new History(0.01);
        history.end = 200;
        expect(history.missing(50)).toEqual({ from: 50, to: 50 + CHUNK });
        for (let i = 50; i < 200; i++) {
            history.add(frame(i), 50);
        }
        expect(history.missing(50)).toEqual({ from: 0, to: 50 });
        for (let i = 0; i < 50; i++) {
            history.add(frame(i), 50);
        }
        expect(history.missing(50)).toBeNull();
    });

    it("forgets what is furthest from the playhead and keeps its curves", () => {
        const history = new History(0.01, 1000);
        for (let i = 0; i < 30; i++) {
            history.add(frame(i), 29);
        }
        expect(history.count).toBe(10);
        expect(history.has(29)).toBe(true);
        expect(history.has(0)).toBe(false);
        expect(history.curves.kinetic[0]).toBe(3);
        expect(history.nearest(0)?.index).toBe(20);
    });

    it("knows its worst moment, and infinity is the worst", () => {
        const history = new History(0.01);
        expect(history.worst()).toBeNull();
        [1e-12, null, 3e-4, 1e-10].forEach((value, i) => history.add(frame(i, value), 0));
        expect(history.worst()).toBe(2);
        const broken = frame(4, 1);
        (broken.report as Report).measured = null;
        history.add(broken, 0);
        expect(history.worst()).toBe(4);
        expect(history.curves.solve[2]).toBeCloseTo(2);
        expect(history.curves.whole[2]).toBeCloseTo(3);
    });
});

describe("playback", () => {
    it("waits at the end while frames are made, and stops there when there are no more", () => {
        const playback = new Playback();
        playback.reset(0.1);
        playback.limit(0, 11);
        playback.advance(0.55, true);
        expect(playback.index).toBe(5);
        playback.advance(9, true);
        expect([playback.index, playback.playing]).toEqual([10, true]);
        playback.advance(9, false);
        expect(playback.playing).toBe(false);
        playback.toggle(false);
        expect([playback.index, playback.playing]).toEqual([0, true]);
    });

    it("counts steps without losing any to rounding", () => {
        const playback = new Playback();
        playback.reset(1 / 60);
        playback.limit(0, 100000);
        for (let i = 0; i < 99999; i += 7) {
            playback.show(i);
            expect(playback.index).toBe(i);
        }
        playback.move(-5);
        expect(playback.playing).toBe(false);
    });
});

describe("islands", () => {
    it("are what touches or is jointed; a floor joins nobody", () => {
        const kinds = ["fixed", "dynamic", "dynamic", "dynamic", "dynamic", "dynamic"];
        const scene = {
            bodies: kinds.map((kind) => ({ kind })),
            joints: [{ a: { body: 4 }, b: { body: 3 } }],
        } as unknown as Scene;
        const words = new Uint32Array(3 * CONTACT_WORDS);
        // Bodies 1 and 2 stand on the floor, stuck; 2 and 5 are near but open.
        [[0, 1, 1], [0, 2, 2], [2, 5, 0]].forEach(([a, b, state], c) => {
            words.set([a, b], c * CONTACT_WORDS);
            words[c * CONTACT_WORDS + 14] = state;
        });
        const touching = { ...frame(0), contactCount: 3, contactWords: words };
        expect([...islands(scene, touching)]).toEqual([-1, 1, 2, 3, 3, -1]);
    });
});

describe("numbers", () => {
    it("are short and exact about size", () => {
        expect(show(3.14159)).toBe("3.14");
        expect(show(-0.25)).toBe("−0.25");
        expect(show(1.234e-13, 2)).toBe("1.2·10⁻¹³");
        expect(show(null)).toBe("∞");
        expect(show(NaN)).toBe("–");
        expect(show(0)).toBe("0");
        expect(powerOfTen(-9)).toBe("10⁻⁹");
        expect(ticks(0, 1, 4)).toEqual([0, 0.5, 1]);
        expect(median([NaN, 3, 1, 2])).toBe(2);
        expect(cumulative([NaN, 1, 2])).toEqual([0, 1, 3]);
    });
});

describe("the scale of a plot", () => {
    it("holds every finite value and the bound", () => {
        const line = (values: number[]) => ({ label: "", values, colour: "" });
        const log = range({ lines: [line([1e-13, NaN, Infinity, 0])], scale: "log", unit: "", bound: { value: 1e-9, label: "" } });
        expect(log[0]).toBeLessThanOrEqual(-13);
        expect(log[1]).toBeGreaterThan(-9);
        const linear = range({ lines: [line([2, 5])], scale: "linear", unit: "", atLeast: 1 });
        expect(linear[0]).toBe(0);
        expect(linear[1]).toBeGreaterThan(5);
    });
});
