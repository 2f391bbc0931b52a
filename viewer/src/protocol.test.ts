import { describe, expect, it } from "vitest";
import { BODY_FLOATS, CONTACT_WORDS, decodeFrame, measuredOf, type Report } from "./protocol";

/** The frame of the server's own test of the layout, byte by byte. */
function sample(report = '{"status":"certified"}'): ArrayBuffer {
    const text = new TextEncoder().encode(report);
    const buffer = new ArrayBuffer(48 + 4 * BODY_FLOATS + 4 * CONTACT_WORDS + text.length);
    const view = new DataView(buffer);
    new Uint8Array(buffer).set(new TextEncoder().encode("SGF1"));
    [1, 3, 7].forEach((word, k) => view.setUint32(4 + 4 * k, word, true));
    view.setFloat64(16, 0.25, true);
    [1, 1, text.length].forEach((word, k) => view.setUint32(24 + 4 * k, word, true));
    [1, 2, 3, 0.5, 0, 0, -0.5].forEach((value, k) => view.setFloat32(48 + 4 * k, value, true));
    view.setUint32(100, 4, true);
    view.setUint32(104, 5, true);
    view.setFloat32(144, -0.5, true);
    view.setUint32(156, 2, true);
    new Uint8Array(buffer).set(text, 160);
    return buffer;
}

describe("a frame", () => {
    it("is read as it was written", () => {
        const frame = decodeFrame(sample());
        expect([frame.lane, frame.epoch, frame.index, frame.time]).toEqual([1, 3, 7, 0.25]);
        expect([...frame.bodies.subarray(0, 7)]).toEqual([1, 2, 3, 0.5, 0, 0, -0.5]);
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
        const certificate = {} as Report["certificate"];
        expect(measuredOf({ certificate, measured: null } as Report)).toBe(Infinity);
        expect(measuredOf({ certificate, measured: 2e-12 } as Report)).toBe(2e-12);
        expect(measuredOf({ certificate: null, measured: null } as Report)).toBeNaN();
        expect(measuredOf(null)).toBeNaN();
    });
});
