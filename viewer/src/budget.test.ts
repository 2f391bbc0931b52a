import { describe, expect, it } from "vitest";
import { stopOf } from "./budget";

describe("the budget slider", () => {
    it("stands at the stop nearest by ratio", () => {
        expect([1, 12, 120, 2000, null].map(stopOf)).toEqual([0, 3, 6, 10, 11]);
        // 17.3 lies half way between 12 and 25.
        expect([17, 18].map(stopOf)).toEqual([3, 4]);
        expect([0, 1e9].map(stopOf)).toEqual([0, 10]);
    });
});
