// Joints of one lane: a line between the anchors and a dot at each; the axis of those that turn about or slide along one,
// with a ring about a hinge. Joints with a motor have a colour of their own.

import * as THREE from "three";
import { palette, type Theme } from "./colours";
import { BODY_WORDS, type Frame, type Joint, type JointEnd, type Scene } from "./protocol";

const TURNS = ["revolute", "cylindrical"];
const SLIDES = ["prismatic", "cylindrical"];
/** Corners of the ring about a hinge. */
const CORNERS = 20;
/** Lengths in radii of a usual body. */
const AXIS = 0.9;
const RING = 0.35;

export class Joints {
    readonly root = new THREE.Group();
    private readonly lines: THREE.LineSegments;
    private readonly dots: THREE.Points;
    private readonly glyphs: { object: THREE.LineSegments; joint: Joint }[] = [];
    private readonly positions: THREE.BufferAttribute;

    constructor(
        private readonly scene: Scene,
        radius: number,
    ) {
        this.positions = new THREE.BufferAttribute(new Float32Array(6 * scene.joints.length), 3);
        this.positions.setUsage(THREE.DynamicDrawUsage);
        const geometry = new THREE.BufferGeometry().setAttribute("position", this.positions);
        const look = { depthTest: false, transparent: true };
        this.lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial(look));
        this.dots = new THREE.Points(geometry, new THREE.PointsMaterial({ ...look, size: 6, sizeAttenuation: false }));
        for (const joint of scene.joints) {
            const points = glyph(joint, radius);
            if (points.length > 0) {
                const shape = new THREE.BufferGeometry().setFromPoints(points);
                this.glyphs.push({ object: new THREE.LineSegments(shape, new THREE.LineBasicMaterial(look)), joint });
            }
        }
        for (const object of [this.lines, this.dots, ...this.glyphs.map((each) => each.object)]) {
            object.frustumCulled = false;
            object.renderOrder = 7;
            this.root.add(object);
        }
        this.root.visible = scene.joints.length > 0;
    }

    show(frame: Frame): void {
        const turn = new THREE.Quaternion();
        this.scene.joints.forEach((joint, index) => {
            this.anchor(frame, joint.a, turn).toArray(this.positions.array, 6 * index);
            this.anchor(frame, joint.b, turn).toArray(this.positions.array, 6 * index + 3);
        });
        this.positions.needsUpdate = true;
        for (const { object, joint } of this.glyphs) {
            object.position.copy(this.anchor(frame, joint.a, turn));
            const [w, x, y, z] = joint.a.axes;
            object.quaternion.copy(turn).multiply(new THREE.Quaternion(x, y, z, w));
        }
    }

    /** Where an end is; `turn` becomes the orientation of its body. */
    private anchor(frame: Frame, end: JointEnd, turn: THREE.Quaternion): THREE.Vector3 {
        const point = new THREE.Vector3(...end.point);
        if (end.body === null) {
            turn.identity();
            return point.sub(new THREE.Vector3(...this.scene.origin));
        }
        const at = end.body * BODY_WORDS;
        const [x, y, z, qw, qx, qy, qz] = frame.bodies.subarray(at, at + 7);
        return point.applyQuaternion(turn.set(qx, qy, qz, qw)).add(new THREE.Vector3(x, y, z));
    }

    paint(theme: Theme): void {
        const colours = palette(theme);
        for (const object of [this.lines, this.dots]) {
            (object.material as THREE.LineBasicMaterial).color.set(colours.joint);
        }
        for (const { object, joint } of this.glyphs) {
            (object.material as THREE.LineBasicMaterial).color.set(joint.driven ? colours.motor : colours.joint);
        }
    }

    dispose(): void {
        for (const object of [this.lines, ...this.glyphs.map((each) => each.object)]) {
            object.geometry.dispose();
            (object.material as THREE.Material).dispose();
        }
        (this.dots.material as THREE.Material).dispose();
    }
}

/** Line segments in the axes of a joint. */
function glyph(joint: Joint, radius: number): THREE.Vector3[] {
    const points: THREE.Vector3[] = [];
    const [turns, slides] = [TURNS.includes(joint.kind), SLIDES.includes(joint.kind)];
    const along = (z: number, x = 0): THREE.Vector3 => new THREE.Vector3(x * radius, 0, z * radius);
    if (turns || slides) {
        points.push(along(-AXIS), along(AXIS));
    }
    if (slides) {
        for (const end of [-1, 1]) {
            points.push(along(end * AXIS), along(end * (AXIS - 0.2), 0.1), along(end * AXIS), along(end * (AXIS - 0.2), -0.1));
        }
    }
    if (turns) {
        const corner = (k: number): THREE.Vector3 => {
            const angle = (2 * Math.PI * k) / CORNERS;
            return new THREE.Vector3(RING * radius * Math.cos(angle), RING * radius * Math.sin(angle), 0);
        };
        for (let k = 0; k < CORNERS; k++) {
            points.push(corner(k), corner(k + 1));
        }
    }
    return points;
}
