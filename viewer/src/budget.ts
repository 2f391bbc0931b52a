// The anytime dial: how much work a step may take. Residual and time per step answer in the curves.

import type { LaneInfo } from "./protocol";

/** Where the slider stops [factorizations], and what usual budgets are called; docs/scenes.md. */
const STOPS: readonly (number | null)[] = [1, 3, 6, 12, 25, 50, 120, 250, 500, 1000, 2000, null];
const NAMES = new Map<number | null, string>([
    [12, "real-time"],
    [120, "balanced"],
    [2000, "thorough"],
    [null, "unlimited"],
]);

/** The stop nearest to a budget, by ratio. */
export function stopOf(budget: number | null): number {
    if (budget === null) {
        return STOPS.length - 1;
    }
    const off = STOPS.map((stop) => (stop === null ? Infinity : Math.abs(Math.log(stop / Math.max(budget, 1)))));
    return off.indexOf(Math.min(...off));
}

function sentence(budget: number | null): string {
    const name = NAMES.get(budget);
    return budget === null ? "unlimited" : name === undefined ? `${budget}` : `${budget} ${name}`;
}

export class Budget {
    private readonly label = document.getElementById("budget-label") as HTMLElement;
    private readonly slider = document.getElementById("budget") as HTMLInputElement;
    private readonly output = document.getElementById("budget-value") as HTMLOutputElement;

    constructor(send: (factorizations: number | null) => void) {
        this.slider.max = String(STOPS.length - 1);
        this.slider.addEventListener("input", () => {
            const budget = STOPS[Number(this.slider.value)] ?? null;
            this.show(budget);
            send(budget);
        });
    }

    /** Only `exact` has a budget. */
    chosen(lanes: readonly LaneInfo[]): void {
        const lane = lanes.find(({ method }) => method === "exact");
        this.label.hidden = lane === undefined;
        const budget = lane?.budget ?? null;
        this.slider.value = String(stopOf(budget));
        this.show(budget);
    }

    private show(budget: number | null): void {
        const text = sentence(budget);
        this.output.value = text;
        this.slider.setAttribute("aria-valuetext", `${text} factorizations`);
    }
}
