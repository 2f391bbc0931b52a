// What stands in the corner of each viewport: the method, the verdict on the step, and a few numbers.

import { show, withUnit } from "./numbers";
import { misses, type Frame, type LaneInfo } from "./protocol";
import type { Viewport } from "./stage";

interface Label {
    root: HTMLElement;
    method: HTMLElement;
    badge: HTMLElement;
    note: HTMLElement;
}

export class LaneLabels {
    private labels: Label[] = [];

    constructor(private readonly root: HTMLElement) {}

    load(lanes: readonly LaneInfo[]): void {
        this.labels = lanes.map((lane) => {
            const make = (className: string): HTMLElement => {
                const element = document.createElement("div");
                element.className = className;
                return element;
            };
            const [root, method, badge, note] = ["lane", "method", "badge idle", "note"].map(make);
            method.textContent = lane.method;
            if (lane.max_iterations !== null) {
                const small = document.createElement("small");
                const plural = lane.max_iterations === 1 ? "iteration" : "iterations";
                small.textContent = `at most ${lane.max_iterations} ${plural}`;
                method.append(small);
            }
            root.append(method, badge, note);
            return { root, method, badge, note };
        });
        this.root.replaceChildren(...this.labels.map((label) => label.root));
    }

    place(ports: readonly Viewport[]): void {
        this.labels.forEach(({ root }, i) => {
            const port = ports[i];
            if (port !== undefined) {
                Object.assign(root.style, {
                    left: `${port.x}px`,
                    top: `${port.y}px`,
                    width: `${port.width}px`,
                    height: `${port.height}px`,
                });
                root.classList.toggle("below", port.y > 0);
            }
        });
    }

    show(index: number, frame: Frame): void {
        const label = this.labels[index];
        if (label === undefined) {
            return;
        }
        const { report } = frame;
        const idle = report === null || (report.velocity === null && report.status === "certified");
        const state = idle ? "idle" : report.status;
        label.badge.className = `badge ${state}`;
        if (report === null) {
            label.badge.textContent = "before the first step";
            label.note.textContent = "";
            return;
        }
        const missed = misses(report);
        if (idle) {
            label.badge.textContent = "nothing touches";
        } else {
            const residual = report.velocity === null ? [] : [withUnit(report.velocity.natural, "m/s", 2)];
            const named = missed.length > 0 ? [missed.join(", ")] : [];
            label.badge.textContent = [report.status, ...named, ...residual].join(" · ");
        }
        const { contacts } = report.counts;
        const overlap = report.penetration > 0 ? `, overlap ${show(1e3 * report.penetration, 2)}\u202fmm` : "";
        // A recording without contacts knows how many there were, not where.
        const unknown = contacts > 0 && frame.contactCount === 0 ? ", not recorded (--contacts)" : "";
        label.note.textContent = `${contacts} ${contacts === 1 ? "contact" : "contacts"}${unknown}${overlap}`;
    }
}
