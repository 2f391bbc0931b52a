import { describe, expect, it } from "vitest";
import { BODY_WORDS, CONTACT_WORDS, PARTS, decodeFrame, excessOf, measuredOf, misses, type Report } from "./protocol";

/** The frame of the server's own test of the layout, byte by byte. */
function sample(report = '{"status":"certified"}'): ArrayBuffer {
    const text = new TextEncoder().encode(report);
    const buffer = new ArrayBuffer(48 + 4 * BODY_WORDS + 4 * CONTACT_WORDS + text.length);
    const view = new DataView(buffer);
    new Uint8Array(buffer).set(new TextEncoder().encode("SGF1"));
    [1, 3, 7].forEach((word, k) => view.setUint32(4 + 4 * k, word, true));
    view.setFloat64(16, 0.25, true);
    [1, 1, text.length].forEach((word, k) => view.setUint32(24 + 4 * k, word, true));
    [1, 2, 3, 0.5, 0, 0, -0.5].forEach((value, k) => view.setFloat32(48 + 4 * k, value, true));
    view.setUint32(100, 1, true);
    view.setUint32(104, 4, true);
    view.setUint32(108, 5, true);
    view.setFloat32(148, -0.5, true);
    view.setUint32(160, 2, true);
    new Uint8Array(buffer).set(text, 164);
    return buffer;
}

describe("a frame", () => {
    it("is read as it was written", () => {
        const frame = decodeFrame(sample());
        expect([frame.lane, frame.epoch, frame.index, frame.time]).toEqual([1, 3, 7, 0.25]);
        expect([...frame.bodies.subarray(0, 7)]).toEqual([1, 2, 3, 0.5, 0, 0, -0.5]);
        expect(frame.bodyWords[13]).toBe(1);
        expect([...frame.contactWords.subarray(0, 2)]).toEqual([4, 5]);
        expect([frame.contacts[11], frame.contactWords[14]]).toEqual([-0.5, 2]);
        expect(frame.report?.status).toBe("certified");
    });

    it("without a report has none", () => {
        expect(decodeFrame(sample("")).report).toBeNull();
    });

    it("that is cut or foreign is refused", () => {
        const bytes = sample();
        for (let length = 0; length < bytes.byteLength; length++) {
            expect(() => decodeFrame(bytes.slice(0, length))).toThrow();
        }
        const foreign = sample();
        new Uint8Array(foreign)[0] = 0;
        expect(() => decodeFrame(foreign)).toThrow("not a frame");
    });
});

describe("a residual", () => {
    it("that JSON could not write is infinite, and none is NaN", () => {
        const velocity = {} as Report["velocity"];
        expect(measuredOf({ velocity, measured: null } as Report)).toBe(Infinity);
        expect(measuredOf({ velocity, measured: 2e-12 } as Report)).toBe(2e-12);
        expect(measuredOf({ velocity: null, measured: null } as Report)).toBeNaN();
        expect(measuredOf(null)).toBeNaN();
    });
});

describe("the parts of a certificate", () => {
    const place = { bodies: [null, null], joint: null };
    const met = { value: 0, bound: 1e-9, place };
    const all = Object.fromEntries(PARTS.map(([key]) => [key, met]));
    const report = (parts: object): Report => ({ certificate: { ...all, ...parts } }) as unknown as Report;

    it("that miss are named, and null is infinite", () => {
        expect(misses(report({}))).toEqual([]);
        expect(misses(report({ overlap: { value: 2e-3, bound: 1e-4, place }, stages: { value: 1, bound: 0, place } }))).toEqual([
            "overlap",
            "cut short",
        ]);
        expect(misses(report({ joint_gap: { value: null, bound: 1e-8, place } }))).toEqual(["joint gap"]);
    });

    it("are unknown, not zero, in recordings that do not tell", () => {
        const untold = { certificate: null } as unknown as Report;
        expect(misses(untold)).toEqual([]);
        expect(excessOf(untold, "overlap")).toBeNaN();
        expect(excessOf(report({}), "overlap")).toBe(0);
        expect(excessOf(report({ overlap: { value: 2, bound: 4, place } }), "overlap")).toBe(0.5);
    });
});
