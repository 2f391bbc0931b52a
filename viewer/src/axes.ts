// Axes: those of the world at its origin, and those of the selected body at the origin of its frame. x red, y green, z blue.

import * as THREE from "three";
import { palette, type Theme } from "./colours";
import { BODY_WORDS, type Frame, type Scene } from "./protocol";

/** Length of the axes of a body, in radii of a usual one. */
const LENGTH = 2;
const DIRECTIONS = [new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, 1)];

export class Axes {
    readonly root = new THREE.Group();
    private readonly world: THREE.Group;
    private readonly own: THREE.Group;

    constructor(scene: Scene, radius: number) {
        this.world = triad();
        this.world.position.set(...scene.origin).negate();
        this.own = triad();
        this.own.scale.setScalar(LENGTH * radius);
        this.root.add(this.world, this.own);
        this.root.visible = false;
    }

    /** How large the scene is, so that the axes of the world are half of it. */
    fit(size: number): void {
        this.world.scale.setScalar(size / 2);
    }

    show(frame: Frame, on: boolean, selected: number | null): void {
        this.root.visible = on;
        this.own.visible = selected !== null;
        if (selected !== null) {
            const [x, y, z, qw, qx, qy, qz] = frame.bodies.subarray(selected * BODY_WORDS, selected * BODY_WORDS + 7);
            this.own.position.set(x, y, z);
            this.own.quaternion.set(qx, qy, qz, qw);
        }
    }

    paint(theme: Theme): void {
        const colours = palette(theme).axes;
        for (const { children } of [this.world, this.own]) {
            children.forEach((line, axis) => ((line as THREE.Line<THREE.BufferGeometry, THREE.LineBasicMaterial>).material.color.set(colours[axis])));
        }
    }

    dispose(): void {
        for (const { children } of [this.world, this.own]) {
            for (const line of children as THREE.Line<THREE.BufferGeometry, THREE.LineBasicMaterial>[]) {
                line.geometry.dispose();
                line.material.dispose();
            }
        }
    }
}

/** Three lines of unit length, drawn over everything. */
function triad(): THREE.Group {
    const group = new THREE.Group();
    for (const direction of DIRECTIONS) {
        const geometry = new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), direction]);
        const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ depthTest: false, transparent: true }));
        line.frustumCulled = false;
        line.renderOrder = 9;
        group.add(line);
    }
    return group;
}
