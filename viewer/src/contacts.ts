// Contacts of one lane: points, forces, friction cones. Drawn over the bodies, since contacts are where one cannot see.

import * as THREE from "three";
import { palette, type Theme } from "./colours";
import { CONTACT_WORDS, ContactState, type Frame, type Scene } from "./protocol";

export interface ContactLook {
    points: boolean;
    forces: boolean;
    cones: boolean;
}

/** Longest arrow, in units of the typical one. */
const LONGEST = 4;
const FIRST_CAPACITY = 256;

class Instances {
    mesh: THREE.InstancedMesh;
    count = 0;

    constructor(
        private readonly parent: THREE.Group,
        private readonly geometry: THREE.BufferGeometry,
        private readonly material: THREE.Material,
        private readonly order: number,
    ) {
        this.mesh = this.make(FIRST_CAPACITY);
    }

    private make(capacity: number): THREE.InstancedMesh {
        const mesh = new THREE.InstancedMesh(this.geometry, this.material, capacity);
        mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
        mesh.frustumCulled = false;
        mesh.renderOrder = this.order;
        this.parent.add(mesh);
        return mesh;
    }

    begin(most: number): void {
        this.count = 0;
        if (most > this.mesh.instanceMatrix.count) {
            this.parent.remove(this.mesh);
            this.mesh.dispose();
            this.mesh = this.make(2 ** Math.ceil(Math.log2(most)));
        }
    }

    add(matrix: THREE.Matrix4, colour: THREE.Color): void {
        this.mesh.setMatrixAt(this.count, matrix);
        this.mesh.setColorAt(this.count, colour);
        this.count += 1;
    }

    end(): void {
        this.mesh.count = this.count;
        this.mesh.instanceMatrix.needsUpdate = true;
        if (this.mesh.instanceColor !== null) {
            this.mesh.instanceColor.needsUpdate = true;
        }
    }

    dispose(): void {
        this.mesh.dispose();
        this.geometry.dispose();
        this.material.dispose();
    }
}

export class Contacts {
    readonly root = new THREE.Group();
    private readonly points: Instances;
    private readonly shafts: Instances;
    private readonly heads: Instances;
    private readonly cones: Instances;
    private theme: Theme = "light";

    constructor(
        private readonly scene: Scene,
        private readonly size: number,
    ) {
        const over = (opacity: number): THREE.MeshBasicMaterial =>
            new THREE.MeshBasicMaterial({ depthTest: false, depthWrite: false, transparent: true, opacity });
        // Unit arrow along +z: a shaft from 0 to 1, and a head whose tip is at 0.
        const shaft = new THREE.CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5);
        const head = new THREE.ConeGeometry(1, 1, 14).rotateX(Math.PI / 2).translate(0, 0, -0.5);
        // Unit friction cone: tip at the contact, opening along +z.
        const cone = new THREE.ConeGeometry(1, 1, 32, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5);
        const glass = over(0.22);
        glass.side = THREE.DoubleSide;
        this.cones = new Instances(this.root, cone, glass, 8);
        this.shafts = new Instances(this.root, shaft, over(0.9), 9);
        this.heads = new Instances(this.root, head, over(0.9), 9);
        this.points = new Instances(this.root, new THREE.SphereGeometry(1, 14, 10), over(1), 10);
    }

    paint(theme: Theme): void {
        this.theme = theme;
    }

    /** Shows the contacts of a moment; a force of `reference` newtons is drawn as long as a typical body. */
    show(frame: Frame, look: ContactLook, reference: number, selected: number | null): void {
        const colours = palette(this.theme);
        const states = [colours.open, colours.stick, colours.slip].map((c) => new THREE.Color(c));
        const arrow = new THREE.Color(colours.arrow);
        const chosen = new THREE.Color(colours.selected);
        const [point, force, normal] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
        const up = new THREE.Vector3(0, 0, 1);
        const turn = new THREE.Quaternion();
        const matrix = new THREE.Matrix4();
        const scale = new THREE.Vector3();
        for (const instances of [this.points, this.shafts, this.heads, this.cones]) {
            instances.begin(frame.contactCount);
        }
        const dot = 0.045 * this.size;
        for (let c = 0; c < frame.contactCount; c++) {
            const at = c * CONTACT_WORDS;
            const state = frame.contactWords[at + 14] as ContactState;
            point.fromArray(frame.contacts, at + 2);
            normal.fromArray(frame.contacts, at + 5);
            const sign = this.side(frame.contactWords[at], frame.contactWords[at + 1], normal);
            normal.multiplyScalar(sign);
            force.fromArray(frame.contacts, at + 8).multiplyScalar(sign / this.scene.step);
            const colour = c === selected ? chosen : states[state];
            if (look.points) {
                const radius = (c === selected ? 1.7 : state === ContactState.Open ? 0.7 : 1) * dot;
                this.points.add(matrix.compose(point, turn.identity(), scale.setScalar(radius)), colour);
            }
            const strength = force.length();
            if (look.forces && strength > 0 && state !== ContactState.Open && reference > 0) {
                const length = 1.2 * this.size * Math.min(strength / reference, LONGEST);
                const thick = 0.022 * this.size;
                const tip = Math.min(7 * thick, 0.5 * length);
                turn.setFromUnitVectors(up, force.normalize());
                scale.set(thick, thick, length - tip);
                this.shafts.add(matrix.compose(point, turn, scale), arrow);
                scale.set(0.4 * tip, 0.4 * tip, tip);
                this.heads.add(matrix.compose(point.clone().addScaledVector(force, length), turn, scale), arrow);
            }
            if (look.cones && state !== ContactState.Open) {
                const friction = frame.contacts[at + 12];
                const height = (0.5 * this.size) / Math.hypot(1, friction);
                turn.setFromUnitVectors(up, normal);
                scale.set(friction * height, friction * height, height);
                this.cones.add(matrix.compose(point, turn, scale), states[state]);
            }
        }
        for (const instances of [this.points, this.shafts, this.heads, this.cones]) {
            instances.end();
        }
    }

    /** Whose force is drawn: 1 for that on the second body, −1 for the first. That of the body held up, if both move. */
    private side(a: number, b: number, normal: THREE.Vector3): number {
        const [first, second] = [this.scene.bodies[a]?.kind, this.scene.bodies[b]?.kind];
        if (first !== "dynamic" || second !== "dynamic") {
            return second === "dynamic" ? 1 : -1;
        }
        const [x, y, z] = this.scene.gravity;
        return normal.x * x + normal.y * y + normal.z * z <= 0 ? 1 : -1;
    }

    dispose(): void {
        for (const instances of [this.points, this.shafts, this.heads, this.cones]) {
            instances.dispose();
        }
    }
}
