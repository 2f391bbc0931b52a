// Pulling at a body with the pointer: the body is the one under it, the force that of crates/view/src/drag.rs.

import * as THREE from "three";
import type { Drag, Triple } from "./protocol";
import type { Stage } from "./stage";

/** A pointer that moves less than this is a click [px]. */
const CLICK = 5;

export class Pull {
    private grip: { pointer: number; x: number; y: number; drag: Drag; plane: THREE.Plane } | null = null;
    private pulling = false;

    constructor(
        private readonly canvas: HTMLElement,
        private readonly stage: Stage,
        /** Whether bodies may be pulled at now. */
        private readonly allowed: () => boolean,
        /** Null: let go. */
        private readonly send: (drag: Drag | null) => void,
    ) {
        // Before the controls of the camera hear of it.
        canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
        canvas.addEventListener("pointermove", (event) => this.move(event), { capture: true });
        for (const end of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
            canvas.addEventListener(end, (event) => this.up(event), { capture: true });
        }
    }

    private down(event: PointerEvent): void {
        if (event.button !== 0 || this.grip !== null || !this.allowed()) {
            return;
        }
        const hold = this.stage.grip(event.clientX, event.clientY);
        if (hold !== null) {
            const { body, point, plane, at } = hold;
            const drag: Drag = { body, point: point.toArray() as Triple, target: at.toArray() as Triple };
            this.grip = { pointer: event.pointerId, x: event.clientX, y: event.clientY, drag, plane };
            this.stage.turnable = false;
            // It is heard of wherever the pointer goes.
            this.canvas.setPointerCapture(event.pointerId);
        }
    }

    private move(event: PointerEvent): void {
        const { grip } = this;
        if (grip === null || event.pointerId !== grip.pointer) {
            return;
        }
        if (!this.pulling && Math.hypot(event.clientX - grip.x, event.clientY - grip.y) < CLICK) {
            return;
        }
        this.pulling = true;
        const target = this.stage.onPlane(event.clientX, event.clientY, grip.plane);
        if (target !== null) {
            grip.drag.target = target.toArray() as Triple;
            this.send(grip.drag);
        }
    }

    private up(event: PointerEvent): void {
        if (this.grip === null || event.pointerId !== this.grip.pointer) {
            return;
        }
        if (this.pulling) {
            this.send(null);
        }
        [this.grip, this.pulling, this.stage.turnable] = [null, false, true];
    }
}
